// What save.mjs and restore.mjs share: wrangler kv, and how both scripts end.
import { execFile } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
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
	process.exit(1);
});

/** The file that a bulk command reads. */
export const input = join(temp, "input.json");

/**
 * Runs `wrangler kv` on the namespace of the deployed Worker. Returns what it prints.
 * @param {string[]} command
 */
export async function kv(...command) {
	// Without --config, Wrangler prefers a wrangler.json in a folder above.
	const target = ["--binding=PLANTS", "--remote", "--config=wrangler.toml"];
	const args = [wrangler, "kv", ...command, ...target];
	const options = { maxBuffer: 1e9, signal: interruption.signal };
	return (await promisify(execFile)(process.execPath, args, options)).stdout;
}

/**
 * The values of these keys, 100 at once (the limit of a bulk get), without deleted ones. Tries twice.
 * @param {string[]} keys
 */
export async function* getValues(keys) {
	for (let start = 0; start < keys.length; start += 100) {
		fs.writeFileSync(input, JSON.stringify(keys.slice(start, start + 100)));
		const get = () => kv("bulk", "get", input);
		const output = await get().catch(async ({ message }) => {
			console.error(`${message}\nTries again in 10 s.`);
			await setTimeout(10_000);
			return get();
		});
		const values = Object.entries(JSON.parse(output));
		const strings = values.filter(([, value]) => value !== null);
		if (strings.some(([, value]) => typeof value !== "string")) {
			throw new Error(`Wrangler printed ${output}`);
		}
		yield strings;
	}
}
