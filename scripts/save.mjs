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
for (let start = 0; start < keys.length; start += 100) {
	let lines = "";
	const batch = keys.slice(start, start + 100).map(({ name }) => name);
	for (const [key, value] of await getValues(batch)) {
		lines += `${JSON.stringify({ key, value })}\n`;
		saved++;
	}
	// readLines() would end a line at these, too.
	lines = lines.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
	fs.appendFileSync(incomplete, lines, { mode: 0o600 });
	console.log(`Saved ${saved} plants of ${keys.length} keys`);
}
if (saved === 0) {
	throw new Error("There are no plants. Is it the right account?");
}
fs.renameSync(incomplete, `${name}.jsonl`);
console.log(`Saved ${saved} plants in ${name}.jsonl`);
