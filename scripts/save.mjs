// Saves the plants of an environment into a new folder of the checkout:
// backup-<environment>-<time>. With a folder, continues that save. The environment is that of --env,
// else of CLOUDFLARE_ENV. Without both, it is production, if wrangler.toml has only one.
// Usage: npm run save -- [--env NAME] [--local] [FOLDER]
import fs from "node:fs";
import {
	folder,
	getPlants,
	listKeys,
	log,
	readJson,
	readPlants,
} from "./kv.mjs";

/** @param {string} file */
const isWritten = (file) => fs.existsSync(`${folder}/${file}`);
if (isWritten("saved.json")) throw new Error("It is complete.");
process.umask(0o077);

/** @type {(file: string, value: unknown) => void} */
function writeJson(file, value) {
	// An interruption leaves no half of a file that counts as written.
	const part = `${folder}/part-${process.pid}`;
	fs.writeFileSync(part, JSON.stringify(value, null, 1));
	fs.renameSync(part, `${folder}/${file}`);
}

if (!isWritten("keys.json")) {
	const keys = (await listKeys()).map(({ name }) => name);
	const batches = [];
	while (keys.length > 0) batches.push(keys.splice(-100));
	fs.mkdirSync(folder, { recursive: true });
	writeJson("keys.json", batches);
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
	for (const { key } of readPlants(file)) saved.push(key);
	log(`${saved.length} plants, ${index + 1} of ${files.length} files`);
}
writeJson("saved.json", saved);
log(`Saved ${saved.length} plants of ${files.flat().length} keys in ${folder}`);
