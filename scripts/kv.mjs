// What save.mjs and restore.mjs share: wrangler kv, the files of a save, and how both scripts end.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
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

const temp = mkdtempSync(join(tmpdir(), "plants-"));
const interruption = new AbortController();
process.on("exit", () => {
	interruption.abort(); // Ends Wrangler, too.
	rmSync(temp, { recursive: true });
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
	process.on(signal, () => process.exit(1));
}
process.on("uncaughtException", ({ message }) => {
	console.error(message);
	process.exit(1);
});

/**
 * The files of a save, in the format of `wrangler kv bulk put`.
 * @param {string} folder
 */
export const filesOf = (folder) =>
	readdirSync(folder)
		.filter((name) => /^plants-\d+\.json$/.test(name))
		.map((name) => join(folder, name));

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
 * The plants with these keys, without those that are deleted.
 * @param {string[]} keys
 */
export async function* getPlants(keys) {
	const file = join(temp, "keys.json");
	// A bulk get returns at most 100 plants, and at most 25 MB.
	let count = 100;
	for (let start = 0; start < keys.length; ) {
		let output = "";
		try {
			const batch = keys.slice(start, start + count);
			writeFileSync(file, JSON.stringify(batch));
			output = await kv("bulk", "get", file);
		} catch (error) {
			const { stderr = "" } = /** @type {{ stderr?: string }} */ (error);
			const isTooLarge = /\b413\b|exceeds the limit|too large/i.test(stderr);
			if (!isTooLarge || count === 1) throw error;
			count = Math.ceil(count / 2);
			continue;
		}
		for (const [key, value] of Object.entries(JSON.parse(output))) {
			if (typeof value === "string") yield { key, value };
			else if (value !== null) throw new Error(`Wrangler printed ${output}`);
		}
		start += count;
	}
}
