#!/usr/bin/env node
// Takes the place of scripts/wrangler in some tests of the scripts, with the limits of KV. The
// folder store has a file for each plant of production. A test sets a variable for what happens
// on the platform: WAIT, TAKEN, DECLINED, DOWN, OLD or UNWRITTEN.
import fs from "node:fs";
import { setTimeout } from "node:timers/promises";

process.chdir(`${import.meta.dirname}/..`);
const { argv, env } = process;
const [command, , action, file = ""] = argv.slice(2);
const isTopLevel = argv.includes("--remote") && argv.includes("--env=");
const store = isTopLevel ? "store" : "none";
/** @param {string} path */
const read = (path) => fs.existsSync(path) && fs.readFileSync(path, "utf8");
const items = JSON.parse(read(file) || "[]");
fs.appendFileSync("calls.log", `${argv.slice(2).join(" ")}\n`);
if (action === "get") fs.appendFileSync("read.log", `${items.join("\n")}\n`);

const isDryRun = argv.includes("--dry-run");
const waits =
	action !== "list" && env.WAIT === (isDryRun ? "dry-run" : "command");
if (waits) fs.writeFileSync("waiting", "");
while (waits && !fs.existsSync("go")) await setTimeout(50);
if (isDryRun) {
	console.log("--dry-run: exiting now.");
} else if (command === "deploy") {
	const file = `${env.WRANGLER_OUTPUT_FILE_PATH}`;
	fs.writeFileSync(file, '{"type":"wrangler-session"}\n');
	// Wrangler writes no version when it deploys, and then cannot set the domain.
	if (env.TAKEN) throw new Error("The domain is taken.");
	const version_id = env.DECLINED ? null : "1";
	const entry = { type: "deploy", worker_name: "shop", version_id };
	fs.appendFileSync(file, JSON.stringify(entry));
} else if (env.DOWN === action) {
	throw new Error("KV is down");
} else if (action === "list") {
	// KV sorts the keys, and lists a deleted one for a minute.
	const names = [...fs.readdirSync(store), "deleted"].sort();
	console.log(JSON.stringify(names.map((name) => ({ name }))));
} else if (action === "get") {
	if (items.length > 100) throw new Error("More than 100 keys");
	// See clock.mjs. KV may return the old value for a minute.
	const isMinuteOver = Number(read("clock")) >= 60_000;
	/** @type {Record<string, string | null>} */
	const values = {};
	for (const key of items) {
		const old = !isMinuteOver && read(`old/${key}`);
		values[key] = old || read(`${store}/${key}`) || null;
	}
	if (Object.values(values).join("").length > 25e6) throw new Error("413");
	console.log(JSON.stringify(values));
} else if (action === "put") {
	if (JSON.stringify(items).length > 100e6) throw new Error("413");
	for (const { key, value } of items) {
		if (key === env.OLD) fs.cpSync(`store/${key}`, `old/${key}`);
		if (key !== env.UNWRITTEN) fs.writeFileSync(`${store}/${key}`, value);
	}
} else throw new Error(`Unknown command: ${argv}`);
