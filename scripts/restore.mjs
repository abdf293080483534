// Stores the plants of a complete save again. They replace the plants with the same ids. Then reads
// them, and compares them with the save. Refuses a save of another environment.
// Usage: npm run restore -- [--env NAME] [--local] FOLDER
import { existsSync, readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { bulk, folder, getPlants, log, readJson, readPlants } from "./kv.mjs";

if (!existsSync(`${folder}/saved.json`))
	throw new Error("Name the folder of a complete save.");
/** @type {string[]} */
const saved = readJson("saved.json");
const pattern = /^plants-\d+\.json$/; // Not plants-0.json~ of an editor.
const files = readdirSync(folder).filter((file) => pattern.test(file));
const found = new Set();
for (const file of files)
	for (const { key, value } of readPlants(file))
		if (typeof value === "string") found.add(key);
const lost = saved.filter((key) => !found.has(key)).length;
if (lost) throw new Error(`Nothing is written: ${lost} plants are in no file.`);

for (const [index, file] of files.entries()) {
	await bulk("put", readPlants(file));
	log(`${index + 1} of ${files.length} files`);
}
let rest = files;
for (let attempt = 1; ; attempt++) {
	const different = [];
	for (const file of rest) {
		const plants = readPlants(file);
		const stored = await getPlants(plants.map(({ key }) => key));
		const values = new Map(stored.map(({ key, value }) => [key, value]));
		for (const { key, value } of plants)
			if (values.get(key) !== value) different.push({ file, key });
	}
	if (different.length === 0) break;
	const ids = different.slice(0, 5).map(({ key }) => key);
	log(`${different.length} of ${saved.length} plants differ, such as ${ids}`);
	// A client may have changed them. KV may return an old value for a minute or more.
	if (attempt === 10) throw new Error("Restore again.");
	await setTimeout(15_000);
	rest = [...new Set(different.map(({ file }) => file))];
}
log(`Restored ${saved.length} plants from ${folder}`);
