// Stores the plants of a save. They replace the plants with the same ids. Then reads them again, and
// compares: wrangler kv bulk put exits with 0, too, when KV did not write some plants.
// Usage: npm run restore -- FOLDER
import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import { filesOf, getPlants, kv } from "./kv.mjs";

const [folder = ""] = process.argv.slice(2);
if (!folder || /-incomplete[\\/]?$/.test(folder)) {
	throw new Error("Name the folder of a complete save.");
}
const files = filesOf(folder);
if (files.length === 0) throw new Error(`${folder} has no plants.`);

/** The values by key that KV is not known to have. */
const rest = new Map();
for (const file of files) {
	const plants = JSON.parse(fs.readFileSync(file, "utf8"));
	for (const { key, value } of plants) rest.set(key, value);
}
const total = rest.size;
process.on("exit", (status) => {
	if (status) console.error(`Restore again: npm run restore -- ${folder}`);
});

for (const [index, file] of files.entries()) {
	await kv("bulk", "put", file);
	console.log(`Stored ${index + 1} of ${files.length} files`);
}

async function compare() {
	for await (const { key, value } of getPlants([...rest.keys()])) {
		if (rest.get(key) === value) rest.delete(key);
	}
	return [...rest.keys()];
}
let different = await compare();
if (different.length > 0) {
	// KV may return an old value for a minute or more.
	console.log(`${different.length} plants differ. Compares again in 90 s.`);
	await setTimeout(90_000);
	different = await compare();
}
if (different.length > 0) {
	throw new Error(`${different.length} plants differ: ${different.join(", ")}`);
}
console.log(`Restored ${total} plants from ${folder}`);
