// Stores the plants of a save. They replace the plants with the same ids. Then compares them with KV.
// Usage: npm run restore -- FILE
import fs from "node:fs";
import { resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { getValues, input, kv } from "./kv.mjs";

const [name = "", ...others] = process.argv.slice(2);
if (/^$|\.incomplete$/.test(name) || others.length > 0) {
	throw new Error("Name one file, a complete save: npm run restore -- FILE");
}
// npm runs this at the top of the checkout, wherever it was called.
const file = resolve(process.env.INIT_CWD ?? "", name);
// A pipe also ends when what writes to it fails.
if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) {
	throw new Error(`There is no regular file ${file}`);
}
console.log(`Reads ${file}`);
const plants = new Map();
const utf8 = new TextDecoder("utf-8", { fatal: true });
let number = 0;
const handle = await fs.promises.open(file);
// Read as UTF-8, a line would lose bytes that are not UTF-8, and end at U+2028, too.
for await (const line of handle.readLines({ encoding: "latin1" })) {
	number++;
	if (line === "") continue;
	try {
		const bytes = Buffer.from(line, "latin1");
		const { key, value } = JSON.parse(utf8.decode(bytes));
		if (typeof key !== "string" || typeof value !== "string") throw line;
		plants.set(key, value);
	} catch {
		throw new Error(`Line ${number} of ${file} is not a plant in UTF-8.`);
	}
}
if (plants.size === 0) throw new Error(`${file} has no plants.`);
process.on("exit", (status) => {
	if (status) console.error(`Restore again: npm run restore -- "${file}"`);
});

const entries = [...plants].map(([key, value]) => ({ key, value }));
// The largest plants have 200 KB each: 50 MB. The API takes 100 MB at once.
for (let start = 0; start < entries.length; start += 250) {
	const batch = entries.slice(start, start + 250);
	fs.writeFileSync(input, JSON.stringify(batch));
	await kv("bulk", "put", input);
	console.log(`Stored ${start + batch.length} of ${plants.size} plants`);
}

// The API reports the `unsuccessful_keys` of a bulk put. Wrangler does not read them, and exits with 0.
const different = new Set(plants.keys());
async function compare() {
	for await (const values of getValues([...different])) {
		for (const [key, value] of values) {
			if (value === plants.get(key)) different.delete(key);
		}
		console.log(`${plants.size - different.size} of ${plants.size} are equal`);
	}
}
await compare();
if (different.size > 0) {
	// KV may return an old value for a minute or more.
	console.log(`${different.size} plants differ. Compares again in 90 s.`);
	await setTimeout(90_000);
	await compare();
}
if (different.size > 0) {
	throw new Error(`${different.size} plants differ: ${[...different].join()}`);
}
console.log(`Restored ${plants.size} plants from ${file}`);
