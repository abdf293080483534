// What save.mjs and restore.mjs share: their arguments, and the commands of wrangler kv.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const interruption = new AbortController();
/** What a line begins with: empty until the arguments are read. */
let label = "";
/** @param {string} message */
export const log = (message) => console.log(label + message);
/** @param {{ message: string, signal?: string }} error */
function fail({ message, signal = "" }) {
	interruption.abort();
	console.error(`${message} ${signal}`.trim());
	console.error(`${label}Failed: see above.`);
	process.exit(1);
}
process.on("uncaughtException", fail);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
	process.on(signal, () => fail({ message: "Interrupted." }));

const { positionals, values } = parseArgs({
	allowPositionals: true,
	options: { env: { type: "string", short: "e" }, local: { type: "boolean" } },
});
const env = values.env ?? process.env.CLOUDFLARE_ENV ?? "";
const environment =
	[values.local && "local", env].filter(Boolean).join("-") || "production";
const time = new Date().toISOString().replace(/\D/g, "");
export const [folder = `backup-${environment}-${time}`, extra] = positionals;
const [, savedFrom] = /^backup-(.+)-\d+$/.exec(basename(resolve(folder))) ?? [];
if (extra || savedFrom !== environment) {
	const hint = "For a save of another environment, add --env NAME or --local.";
	const save = positionals.join(" ");
	throw new Error(`${save} is not a save of ${environment}. ${hint}`);
}
label = `[${environment}] `;

/** @typedef {{ key: string, value: string }} Plant */

/** @param {string} file */
export function readJson(file) {
	try {
		return JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
	} catch (error) {
		throw new Error(`${folder}/${file}: ${error}`);
	}
}

/** @type {(file: string) => Plant[]} */
export const readPlants = readJson;

// Another level hides the JSON, or adds lines to it.
process.env.WRANGLER_LOG = "log";
// Otherwise, Wrangler's log files keep what a bulk get prints: all plants.
process.env.WRANGLER_WRITE_LOGS = "false";
// Not its bin, which exits with 0 when a signal ends Wrangler.
const wrangler = fileURLToPath(import.meta.resolve("wrangler"));
const target = [
	// Without --config, Wrangler prefers a wrangler.json, also of a folder above.
	"--config=wrangler.toml",
	"--binding=PLANTS",
	// Also when it is empty: otherwise, Wrangler looks for a name itself.
	`--env=${env}`,
	values.local ? "--local" : "--remote",
];
/** @type {(...command: string[]) => Promise<string>} */
async function kv(...command) {
	const args = [wrangler, "kv", ...command, ...target];
	const options = { maxBuffer: 1e9, signal: interruption.signal };
	const call = promisify(execFile)(process.execPath, args, options);
	return (await call).stdout;
}
/** @returns {Promise<{ name: string }[]>} */
export const listKeys = async () => JSON.parse(await kv("key", "list"));

const tempFolder = mkdtempSync(join(tmpdir(), "plants-"));
process.on("exit", () => rmSync(tempFolder, { recursive: true, force: true }));

/**
 * Halves the items of a command that is too large. A bulk get returns at most 25 MB, and a bulk put
 * takes at most 100 MB. Returns the output of each command.
 * @type {(action: "get" | "put", items: unknown[]) => Promise<string[]>}
 */
export async function bulk(action, items) {
	if (items.length === 0) return [];
	const file = `${tempFolder}/items.json`;
	try {
		writeFileSync(file, JSON.stringify(items));
		return [await kv("bulk", action, file)];
	} catch (error) {
		const { stderr = "" } = /** @type {{ stderr?: string }} */ (error);
		const isTooLarge = /\b413\b|exceeds the limit|too large/i.test(stderr);
		if (!isTooLarge || items.length === 1) throw error;
	}
	const middle = items.length >> 1;
	const first = await bulk(action, items.slice(0, middle));
	return [...first, ...(await bulk(action, items.slice(middle)))];
}

/**
 * The plants with these keys, without those that are deleted.
 * @type {(keys: string[]) => Promise<Plant[]>}
 */
export async function getPlants(keys) {
	const plants = [];
	for (const output of await bulk("get", keys))
		for (const [key, item] of Object.entries(JSON.parse(output))) {
			const value = values.local ? item.value : item;
			if (typeof value === "string") plants.push({ key, value });
			else if (value !== null) throw new Error(`Wrangler printed ${output}`);
		}
	return plants;
}
