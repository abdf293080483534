#!/usr/bin/env node
// Saves the plants of production, or of CLOUDFLARE_ENV, into a new folder of the checkout:
// backup-<environment>-<time>. With a folder, continues that save.
// Usage: scripts/save.mjs [--local [--persist-to DIR]] [FOLDER]
import fs from "node:fs";
import { folder, kv, listKeys, log, readJson } from "./kv.mjs";

// 40 plants of 1 MiB (MAX_BODY_BYTES), each character escaped, fit into a request of 100 MB.
const BATCH = 40;

/** @param {string} file */
const isWritten = (file) => fs.existsSync(`${folder}/${file}`);
if (isWritten("saved.json")) throw new Error("It is complete.");
process.umask(0o077);
fs.mkdirSync(folder, { recursive: true });
// The same save can run a second time meanwhile, so each run has a folder for its own files.
const own = fs.mkdtempSync(`${folder}/run-`);
process.on("exit", (status) => {
	fs.rmSync(own, { recursive: true, force: true });
	if (status !== 0) console.error(`To continue, add this folder: "${folder}"`);
});

/** @type {(file: string, value: unknown) => void} */
function writeJson(file, value) {
	fs.writeFileSync(`${own}/${file}`, JSON.stringify(value, null, 1));
	// A file in the folder of the save is complete, and is not replaced.
	if (!isWritten(file)) fs.linkSync(`${own}/${file}`, `${folder}/${file}`);
}

if (!isWritten("keys.json")) writeJson("keys.json", listKeys());
const keys = readJson("keys.json");
const saved = [];
for (let first = 0; first < keys.length; first += BATCH) {
	const file = `plants-${first}.json`;
	if (!isWritten(file)) {
		const batch = `${own}/batch.json`;
		fs.writeFileSync(batch, JSON.stringify(keys.slice(first, first + BATCH)));
		const values = JSON.parse(kv("bulk", "get", batch));
		const plants = Object.entries(values).flatMap(([key, item]) => {
			// With --local, Wrangler prints { value }. That of a deleted plant is null.
			const value = item?.value ?? item;
			return typeof value === "string" ? { key, value } : [];
		});
		writeJson(file, plants);
	}
	for (const { key } of readJson(file)) saved.push(key);
	log(`${saved.length} plants of ${keys.length} keys`);
}
writeJson("saved.json", saved);
log(`Saved ${saved.length} plants of ${keys.length} keys into ${folder}`);
