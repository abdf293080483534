// Stores the plants of a save. They replace the plants with the same ids. Then compares them with KV.
// Usage: npm run restore -- FILE
import { open, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { getValues, input, kv } from "./kv.mjs";

const [file = ""] = process.argv.slice(2);
if (/^$|\.incomplete$/.test(file)) throw new Error("Name a complete save.");

/** Reads 100 plants of the file at once. `count` says how many it has read so far. */
async function* readPlants() {
	const plants = [];
	let count = 0;
	let number = 0;
	for await (const line of (await open(file)).readLines()) {
		number++;
		if (line === "") continue;
		try {
			const { key, value } = JSON.parse(line);
			if (typeof key !== "string" || typeof value !== "string") throw line;
			plants.push({ key, value });
		} catch {
			throw new Error(`Line ${number} of ${file} is not a plant.`);
		}
		count++;
		if (plants.length === 100) yield { plants: plants.splice(0), count };
	}
	if (plants.length > 0) yield { plants, count };
}

let total = 0;
// Finds a line that is not a plant before anything is stored.
for await (const { count } of readPlants()) total = count;
if (total === 0) throw new Error(`${file} has no plants.`);
process.on("exit", (status) => {
	if (status) console.error(`Restore again: npm run restore -- ${file}`);
});

for await (const { plants, count } of readPlants()) {
	await writeFile(input, JSON.stringify(plants));
	await kv("bulk", "put", input);
	console.log(`Stored ${count} of ${total} plants`);
}

/** @param {{ key: string, value: string }[]} plants */
async function findDifferent(plants) {
	const values = await getValues(plants.map(({ key }) => key));
	return plants.filter(({ key, value }) => values.get(key) !== value);
}
// The API reports the `unsuccessful_keys` of a bulk put. Wrangler does not read them, and exits with 0.
const different = [];
let isFirst = true;
for await (const { plants, count } of readPlants()) {
	let found = await findDifferent(plants);
	if (found.length > 0 && isFirst) {
		// KV may return an old value for a minute or more.
		console.log(`${found.length} plants differ. Compares again in 90 s.`);
		await setTimeout(90_000);
		isFirst = false;
		found = await findDifferent(plants);
	}
	different.push(...found.map(({ key }) => key));
	console.log(`Compared ${count} of ${total} plants`);
}
if (different.length > 0) {
	throw new Error(`${different.length} plants differ: ${different.join(", ")}`);
}
console.log(`Restored ${total} plants from ${file}`);
