#!/usr/bin/env node
// Takes the place of scripts/wrangler. The plants of production are in store.json.
import fs from "node:fs";
import { setTimeout } from "node:timers/promises";

process.chdir(`${import.meta.dirname}/..`);
const { argv, env } = process;
const [command, , action, file = ""] = argv.slice(2);
fs.appendFileSync("calls.log", `${argv.slice(2).join(" ")}\n`);
/** @param {string} file */
const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const store = argv.includes("--remote") ? read("store.json") : {};
if (action === "get" && env.WAIT) {
	fs.writeFileSync("waiting", "");
	while (!fs.existsSync("go")) await setTimeout(50);
}

if (command === "deploy") {
	const worker_name = `plants${env.CLOUDFLARE_ENV ?? ""}`;
	const version_id = env.DECLINED ? null : "1";
	const output = JSON.stringify({ type: "deploy", worker_name, version_id });
	fs.writeFileSync(`${env.WRANGLER_OUTPUT_FILE_PATH}`, output);
} else if (action === "list") {
	// KV lists a deleted key for a minute, and a new one only after a minute.
	const names = [...Object.keys(store), "deleted"];
	const listed = names.filter((name) => name !== env.UNLISTED);
	console.log(JSON.stringify(listed.map((name) => ({ name }))));
} else if (action === "get") {
	const values = read(file).map(({ name }) => [name, store[name] ?? null]);
	console.log(JSON.stringify(Object.fromEntries(values)));
} else {
	for (const { key, value } of read(file)) store[key] = value;
	fs.writeFileSync("store.json", JSON.stringify(store));
}
