// What save.mjs and restore.mjs share: their arguments, and the commands of wrangler kv.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { CLOUDFLARE_ENV = "" } = process.env;
const isLocal = process.argv.includes("--local");
const environment = isLocal ? "local" : CLOUDFLARE_ENV || "production";
/** @param {string} message */
export const log = (message) => console.log(`[${environment}] ${message}`);

/** @param {{ message: string }} error */
function fail({ message }) {
	console.error(`${message}\n[${environment}] Failed: see above.`);
	process.exit(1);
}
process.on("uncaughtException", fail);
// During a call of Wrangler, it ends first, and its error is reported.
process.on("SIGINT", () => fail({ message: "Interrupted." }));

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { local: { type: "boolean" }, "persist-to": { type: "string" } },
});
const directory = values["persist-to"];
if (directory !== undefined && !(isLocal && directory))
	throw new Error("--persist-to DIR needs --local.");
const top = fileURLToPath(new URL("..", import.meta.url));
const time = new Date().toISOString().replace(/\D/g, "");
const [name = `${top}backup-${environment}-${time}`, extra] = positionals;
/** The folder in the arguments, or a new one. */
export const folder = resolve(name);
if (extra || !basename(folder).match(`^backup-${environment}-\\d+$`))
	throw new Error(`${positionals.join(" ")} is not a save of ${environment}.`);

/** @param {string} file */
export function readJson(file) {
	try {
		return JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
	} catch (error) {
		throw new Error(`${folder}/${file}: ${error}`);
	}
}

// Another level hides the JSON, or adds lines to it.
process.env.WRANGLER_LOG = "log";
/** @param {string[]} command */
export function kv(...command) {
	const args = ["kv", ...command, "--binding", "PLANTS"];
	// A file .env can have another CLOUDFLARE_ENV.
	args.push("--env", CLOUDFLARE_ENV, isLocal ? "--local" : "--remote");
	if (directory) args.push("--persist-to", resolve(directory));
	const file = `${top}scripts/wrangler`;
	return String(execFileSync(file, args, { maxBuffer: 1e9, stdio: "pipe" }));
}
/** @returns {{ name: string }[]} */
export const listKeys = () => JSON.parse(kv("key", "list"));
