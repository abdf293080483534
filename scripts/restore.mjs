#!/usr/bin/env node
// Stores the plants of a complete save again, in production or in CLOUDFLARE_ENV. They replace
// the plants with the same ids.
// Usage: scripts/restore.mjs [--local [--persist-to DIR]] FOLDER
import { existsSync, readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { folder, kv, listKeys, log, readJson } from "./kv.mjs";

if (!existsSync(`${folder}/saved.json`))
	throw new Error("Name the folder of a complete save.");
/** @type {string[]} */
const saved = readJson("saved.json");
const pattern = /^plants-\d+\.json$/; // Not plants-0.json~ of an editor.
const files = readdirSync(folder).filter((file) => pattern.test(file));
const found = new Set();
for (const file of files)
	for (const { key, value } of readJson(file))
		if (typeof value === "string") found.add(key);
const lost = saved.filter((key) => !found.has(key)).length;
if (lost) throw new Error(`Nothing is written: ${lost} plants are in no file.`);

for (const [index, file] of files.entries()) {
	kv("bulk", "put", `${folder}/${file}`);
	log(`${index + 1} of ${files.length} files`);
}
for (let attempt = 1; ; attempt++) {
	const keys = new Set(listKeys().map(({ name }) => name));
	const missing = saved.filter((key) => !keys.has(key)).length;
	if (missing === 0) break;
	log(`${missing} of ${saved.length} plants are missing.`);
	if (attempt === 10) throw new Error("Restore again.");
	// KV lists a new key after a minute or more.
	await setTimeout(15_000);
}
log(`Restored ${saved.length} plants from ${folder}`);
