// Saves all plants into a new folder of the checkout: backup-<time>-incomplete, which becomes
// backup-<time> at the end. With an incomplete folder, continues that save.
// Usage: npm run save [-- FOLDER]
import fs from "node:fs";
import { filesOf, getPlants, kv } from "./kv.mjs";

const time = new Date().toISOString().replace(/\D/g, "");
const [folder = `backup-${time}-incomplete`] = process.argv.slice(2);
const [, complete] = /^(.+)-incomplete[\\/]?$/.exec(folder) ?? [];
if (!complete) throw new Error(`${folder} is not an incomplete save.`);

/** @type {{ name: string }[]} */
const listed = JSON.parse(await kv("key", "list"));

process.umask(0o077); // Only the owner can read the files.
if (process.argv.length === 2) fs.mkdirSync(folder);
process.on("exit", (status) => {
	if (status) console.error(`To continue: npm run save -- ${folder}`);
});

const saved = new Set();
for (const file of filesOf(folder)) {
	const plants = JSON.parse(fs.readFileSync(file, "utf8"));
	for (const { key } of plants) saved.add(key);
}

/** @type {string[]} */
let lines = [];
let size = 0;
function writeFile() {
	if (lines.length === 0) return;
	// A file that is only half written must not count.
	const part = `${folder}/part`;
	fs.writeFileSync(part, `[\n${lines.join(",\n")}\n]\n`);
	const number = filesOf(folder).length + 1;
	fs.renameSync(part, `${folder}/plants-${number}.json`);
	lines = [];
	size = 0;
	console.log(`${saved.size} plants`);
}

const keys = listed.map(({ name }) => name).filter((key) => !saved.has(key));
for await (const plant of getPlants(keys)) {
	const line = JSON.stringify(plant);
	// A bulk put takes at most 100 MB, and Wrangler puts 1,000 plants at once.
	if (size + line.length > 10e6 || lines.length === 1000) writeFile();
	lines.push(line);
	size += line.length;
	saved.add(plant.key);
}
writeFile();
fs.renameSync(folder, complete);
console.log(`Saved ${saved.size} plants in ${complete}`);
