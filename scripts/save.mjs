// Saves all plants into a new folder of the checkout: backup-<time>-incomplete, which becomes
// backup-<time> at the end. With an incomplete folder, continues that save.
// Usage: npm run save [-- FOLDER]
import fs from "node:fs";
import { getPlants, kv, readSave } from "./kv.mjs";

const time = new Date().toISOString().replace(/\D/g, "");
const [given] = process.argv.slice(2);
const folder = given ?? `backup-${time}-incomplete`;
const [, complete] = /^(.+)-incomplete[\\/]?$/.exec(folder) ?? [];
if (!complete) throw new Error(`${folder} is not an incomplete save.`);
const saved = given ? readSave(given) : new Map();

process.umask(0o077); // Only the owner can read the files.
process.on("exit", (status) => {
	if (status && fs.existsSync(folder)) {
		console.error(`To continue: npm run save -- ${folder}`);
	}
});

/** @type {{ name: string }[]} */
const listed = JSON.parse(await kv("key", "list"));
const keys = listed.map(({ name }) => name).filter((key) => !saved.has(key));
let total = saved.size;
for await (const plants of getPlants(keys)) {
	if (plants.length === 0) continue;
	fs.mkdirSync(folder, { recursive: true });
	// A file that is only half written must not count.
	fs.writeFileSync(`${folder}/part`, JSON.stringify(plants));
	// By time: a number may be that of a file which is there, if one was deleted.
	fs.renameSync(`${folder}/part`, `${folder}/plants-${Date.now()}.json`);
	total += plants.length;
	console.log(`${total} plants`);
}
if (listed.length === 0 || total === 0) {
	const reason = "Mostly, it is the wrong account or namespace.";
	throw new Error(`The namespace has no plants. ${reason}`);
}
fs.renameSync(folder, complete);
console.log(`Saved ${total} plants in ${complete}`);
