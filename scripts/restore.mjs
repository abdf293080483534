// Stores the plants of a save. They replace the plants with the same ids. Then reads them again, and
// compares.
// Usage: npm run restore -- FOLDER
import { setTimeout } from "node:timers/promises";
import { filesOf, getPlants, kv, readSave } from "./kv.mjs";

const [folder = ""] = process.argv.slice(2);
if (!folder || /-incomplete[\\/]?$/.test(folder)) {
	throw new Error("Name the folder of a complete save.");
}
/** The values by key that KV is not known to have. */
const rest = readSave(folder);
const total = rest.size;
if (total === 0) throw new Error(`${folder} has no plants.`);
process.on("exit", (status) => {
	if (status) console.error(`Restore again: npm run restore -- ${folder}`);
});

const files = filesOf(folder);
for (const [index, file] of files.entries()) {
	await kv("bulk", "put", file);
	console.log(`Stored ${index + 1} of ${files.length} files`);
}

// The API reports the `unsuccessful_keys` of a bulk put. Wrangler does not read them, and exits with 0.
async function compare() {
	for await (const plants of getPlants([...rest.keys()])) {
		for (const { key, value } of plants) {
			if (rest.get(key) === value) rest.delete(key);
		}
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
