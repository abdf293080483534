#!/usr/bin/env node
// Saves the plants of an environment into a new folder of the checkout:
// backup-<environment>-<time>. With a folder, continues that save. Without --env or the variable
// CLOUDFLARE_ENV, the environment is production, if it is the only one.
// Usage: scripts/save.mjs [--env NAME] [--local] [FOLDER]
import fs from "node:fs";
import { folder, getPlants, listKeys, log, readJson } from "./kv.mjs";

/** @param {string} file */
const isWritten = (file) => fs.existsSync(`${folder}/${file}`);
if (isWritten("saved.json")) throw new Error("It is complete.");
process.umask(0o077);

/** @type {(file: string, value: unknown) => void} */
function writeJson(file, value) {
	// The same save can run a second time meanwhile, so each run has a file of its own.
	const ownFile = `${folder}/${file}.${process.pid}`;
	try {
		fs.writeFileSync(ownFile, JSON.stringify(value, null, 1));
		// A file of the save is complete: the first run that has it wins.
		if (!isWritten(file)) fs.renameSync(ownFile, `${folder}/${file}`);
	} finally {
		fs.rmSync(ownFile, { force: true });
	}
}

if (!isWritten("keys.json")) {
	const keys = (await listKeys()).map(({ name }) => name);
	const files = [];
	while (keys.length > 0) files.push(keys.splice(-100));
	fs.mkdirSync(folder, { recursive: true });
	writeJson("keys.json", files);
}
process.on("exit", (status) => {
	if (status !== 0) console.error(`To continue, add this folder: "${folder}"`);
});
/** The keys of each file. @type {string[][]} */
const files = readJson("keys.json");
const saved = [];
for (const [index, keys] of files.entries()) {
	const file = `plants-${index + 1}.json`;
	if (!isWritten(file)) writeJson(file, await getPlants(keys));
	for (const { key } of readJson(file)) saved.push(key);
	log(`${saved.length} plants, ${index + 1} of ${files.length} files`);
}
writeJson("saved.json", saved);
log(`Saved ${saved.length} plants of ${files.flat().length} keys in ${folder}`);
