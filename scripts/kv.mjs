// What save.mjs and restore.mjs share: wrangler kv, the files of a save, and how both scripts end.
import { execFile } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// Another level hides the JSON, or adds lines to it.
process.env.WRANGLER_LOG = "log";
// Otherwise, Wrangler's log files keep what a bulk get prints: all plants.
process.env.WRANGLER_WRITE_LOGS = "false";
// Not its bin, which exits with 0 when a signal ends Wrangler.
const wrangler = fileURLToPath(import.meta.resolve("wrangler"));

const temp = fs.mkdtempSync(join(tmpdir(), "plants-"));
const interruption = new AbortController();
process.on("exit", () => {
	interruption.abort(); // Ends Wrangler, too.
	fs.rmSync(temp, { recursive: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
	process.on(signal, () => process.exit(1));
}
process.on("uncaughtException", ({ message }) => {
	console.error(message);
	// In a pipe, Wrangler only advises an API token.
	if (message.includes("set a CLOUDFLARE_API_TOKEN")) {
		console.error("You are not logged in. Run: npx wrangler login");
	}
	process.exit(1);
});

/**
 * The files of a save, in the format of `wrangler kv bulk put`.
 * @param {string} folder
 */
export const filesOf = (folder) =>
	fs
		.readdirSync(folder)
		.filter((name) => /^plants-\d+\.json$/.test(name))
		.map((name) => join(folder, name));

/**
 * The plants of a save: values by key.
 * @param {string} folder
 */
export function readSave(folder) {
	/** @type {Map<string, string>} */
	const plants = new Map();
	for (const file of filesOf(folder)) {
		try {
			for (const { key, value } of JSON.parse(fs.readFileSync(file, "utf8"))) {
				if (typeof key !== "string" || typeof value !== "string") {
					throw new Error("A plant has no key or value.");
				}
				plants.set(key, value);
			}
		} catch (error) {
			throw new Error(`${file} is broken: ${error}`);
		}
	}
	return plants;
}

/**
 * Runs `wrangler kv` on the namespace of the deployed Worker. Returns what it prints.
 * @param {string[]} command
 */
export async function kv(...command) {
	// Without --config, Wrangler prefers a wrangler.json in a folder above.
	const target = ["--binding=PLANTS", "--remote", "--config=wrangler.toml"];
	const args = [wrangler, "kv", ...command, ...target];
	const options = { maxBuffer: 1e9, signal: interruption.signal };
	const call = promisify(execFile)(process.execPath, args, options);
	return (await call).stdout;
}

/**
 * The plants with these keys, without those that are deleted: 100 keys at once, the limit of a bulk get.
 * @param {string[]} keys
 */
export async function* getPlants(keys) {
	const file = join(temp, "keys.json");
	for (let start = 0; start < keys.length; start += 100) {
		const batch = keys.slice(start, start + 100);
		fs.writeFileSync(file, JSON.stringify(batch));
		const output = await kv("bulk", "get", file);
		const plants = [];
		for (const [key, value] of Object.entries(JSON.parse(output))) {
			if (typeof value === "string") plants.push({ key, value });
			else if (value !== null) throw new Error(`Wrangler printed ${output}`);
		}
		yield plants;
	}
}
