// Stores the plants of a save, from a line on. They replace the plants with the same ids.
// Usage: npm run restore -- FILE [LINE]
import fs from "node:fs";
import { resolve } from "node:path";
import { findNamespace, onFailure, send } from "./kv.mjs";

const [name = "", first = "1", ...others] = process.argv.slice(2);
if (/^$|\.incomplete$/.test(name) || !/^\d+$/.test(first) || others.length) {
	const usage = "npm run restore -- FILE [LINE]";
	throw new Error(`Name one file, a complete save: ${usage}`);
}
// npm runs this at the top of the checkout, wherever it was called.
const file = resolve(process.env.INIT_CWD ?? "", name);
// A pipe also ends when what writes to it fails.
if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) {
	throw new Error(`There is no regular file ${file}`);
}
console.log(`Reads ${file}`);
const handle = await fs.promises.open(file);
const utf8 = new TextDecoder("utf-8", { fatal: true });

async function* readChunks() {
	// Not handle.readLines(): it reads on during a request. As UTF-8, a line would lose wrong bytes.
	const stream = handle.createReadStream({ start: 0, autoClose: false });
	yield* stream.setEncoding("latin1");
	yield "\n";
}

/** The plants of the save, each with the number of its line. */
async function* readPlants() {
	let number = 0;
	let rest = "";
	for await (const chunk of readChunks()) {
		const lines = `${rest}${chunk}`.split("\n");
		rest = lines.pop() ?? "";
		for (const line of lines) {
			number++;
			if (number < Number(first) || line.trim() === "") continue;
			try {
				const bytes = Buffer.from(line, "latin1");
				const { key, value } = JSON.parse(utf8.decode(bytes));
				if (typeof key !== "string" || typeof value !== "string") throw line;
				yield { number, key, value };
			} catch {
				throw new Error(`Line ${number} of ${file} is not a plant in UTF-8.`);
			}
		}
	}
}

/** The keys that are not stored yet, with their last lines, in the order of these. */
const missing = new Map();
for await (const { number, key } of readPlants()) {
	missing.delete(key);
	missing.set(key, number);
}
const { size } = missing;
if (size === 0) throw new Error(`${file} has no plants from line ${first} on.`);
onFailure(() => {
	const [line] = missing.values();
	return `Continue: npm run restore -- "${file}" ${line}`;
});

const namespace = await findNamespace();
/** @type {{ key: string, value: string }[]} */
let batch = [];
let bytes = 0;
async function store() {
	const [from, to] = [0, -1].map((i) => missing.get(batch.at(i)?.key));
	console.log(`Stores lines ${from} to ${to}`);
	const { result } = await send("PUT", `${namespace}/bulk`, batch);
	const failed = result?.unsuccessful_keys;
	const stored = batch.filter(({ key }) => failed?.includes(key) === false);
	if (stored.length === result?.successful_key_count) {
		for (const { key } of stored) missing.delete(key);
	}
	batch = [];
	bytes = 0;
}

for await (const { number, key, value } of readPlants()) {
	if (number !== missing.get(key)) continue;
	const length = Buffer.byteLength(JSON.stringify({ key, value })) + 1;
	// A slow connection sends 10 MB in less than two minutes.
	if (batch.length === 1000 || bytes + length >= 10_000_000) await store();
	batch.push({ key, value });
	bytes += length;
}
if (batch.length > 0) await store();
if (missing.size > 0) {
	const keys = [...missing.keys()].join();
	throw new Error(`${missing.size} plants are not stored: ${keys}`);
}
console.log(`Restored ${size} plants from ${file}`);
