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
	const lines = values.map(
		([key, value]) => `${JSON.stringify({ key, value })}\n`,
	);
	fs.appendFileSync(incomplete, lines.join(""), { mode: 0o600 });
	saved += values.length;
	console.log(`Saved ${saved} plants of ${keys.length} keys`);
}
if (saved === 0) {
	throw new Error("There are no plants. Is it the right account?");
}
fs.renameSync(incomplete, `${name}.jsonl`);
console.log(`Saved ${saved} plants in ${name}.jsonl`);
