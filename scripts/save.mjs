// Saves all plants into a new file, backup-<time>.jsonl. Each line has the key and the value of a plant.
// Usage: npm run save
import fs from "node:fs";
import { findNamespace, send } from "./kv.mjs";

const name = `backup-${new Date().toISOString().replace(/\D/g, "")}`;
const incomplete = `${name}.incomplete`;
process.on("exit", () => fs.rmSync(incomplete, { force: true }));

const namespace = await findNamespace();
let listed = 0;
let saved = 0;
let cursor = "";
do {
	const query = cursor && `?cursor=${encodeURIComponent(cursor)}`;
	const page = await send("GET", `${namespace}/keys${query}`);
	/** @type {{ name: string }[]} */
	const listing = page.result;
	const keys = listing.map(({ name }) => name);
	cursor = page.result_info?.cursor;
	if (typeof cursor !== "string" && keys.length >= 1000) {
		throw new Error("A page of 1,000 keys has no cursor, so keys are missing.");
	}
	listed += keys.length;
	while (keys.length > 0) {
		// The limit of a bulk get.
		const body = { keys: keys.splice(0, 100) };
		const { result } = await send("POST", `${namespace}/bulk/get`, body);
		for (const key of body.keys) {
			const value = result?.values?.[key];
			if (value === null) continue; // KV lists a deleted key for a minute.
			if (typeof value !== "string") throw new Error(`${key} is not text.`);
			const line = `${JSON.stringify({ key, value })}\n`;
			fs.appendFileSync(incomplete, line, { mode: 0o600 });
			saved++;
		}
	}
	console.log(`Saved ${saved} plants of ${listed} keys`);
} while (cursor);
if (saved === 0) {
	throw new Error("There are no plants. Is it the right account?");
}
fs.renameSync(incomplete, `${name}.jsonl`);
console.log(`Saved ${saved} plants of ${listed} keys in ${name}.jsonl`);
