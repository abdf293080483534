// Saves all plants into a new file, backup-<time>.jsonl. Each line has the key and the value of a plant.
// Usage: npm run save
import fs from "node:fs";
import { getValues, kv } from "./kv.mjs";

const name = `backup-${new Date().toISOString().replace(/\D/g, "")}`;
const incomplete = `${name}.incomplete`;
process.on("exit", () => fs.rmSync(incomplete, { force: true }));

/** @type {{ name: string }[]} */
const keys = JSON.parse(await kv("key", "list"));
let saved = 0;
for await (const values of getValues(keys.map(({ name }) => name))) {
	let lines = "";
	for (const [key, value] of values)
		lines += `${JSON.stringify({ key, value })}\n`;
	// readLines() would end a line at these, too.
	lines = lines.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
	fs.appendFileSync(incomplete, lines, { mode: 0o600 });
	saved += values.length;
	console.log(`Saved ${saved} plants of ${keys.length} keys`);
}
if (saved === 0) {
	throw new Error("There are no plants. Is it the right account?");
}
fs.renameSync(incomplete, `${name}.jsonl`);
console.log(`Saved ${saved} plants in ${name}.jsonl`);
