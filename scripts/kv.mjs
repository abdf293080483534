// What save.mjs and restore.mjs share: requests to the KV namespace, and how both scripts end.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

let lastLine = () => "";

/**
 * Sets the line that the script prints below its error.
 * @param {() => string} line
 */
export function onFailure(line) {
	lastLine = line;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
	process.on(signal, () => {
		throw new Error(`${signal} ended the script.`);
	});
}
process.on("uncaughtException", ({ message }) => {
	const text = `${message}\n${lastLine()}`.trimEnd();
	// One write, and the exit in its callback: otherwise, a full pipe would lose the end of the text.
	process.stderr.write(`${text}\n`, () => process.exit(1));
});

const { env } = process;
// An empty variable is unset, for Wrangler, too.
for (const name in env) {
	if (name.startsWith("CLOUDFLARE_") && !env[name]) delete env[name];
}
// As Wrangler does.
for (const file of [".env.local", ".env"]) {
	if (fs.existsSync(file)) process.loadEnvFile(file);
}
// On an older Node, which does not have this function, Wrangler makes fetch use the proxy.
Reflect.get(http, "setGlobalProxyFromEnv")?.();
// Node 22.12 would print a warning about punycode below the last line.
process.noDeprecation = true;
// Wrangler writes what it prints into a log file, also the login.
const logs = fs.mkdtempSync(join(tmpdir(), "plants-"));
process.on("exit", () => fs.rmSync(logs, { recursive: true, force: true }));
// A different level adds lines to the JSON.
Object.assign(env, { WRANGLER_LOG: "log", WRANGLER_LOG_PATH: logs });

/**
 * Returns the JSON that Wrangler prints.
 * @param {string[]} command
 */
function wrangler(...command) {
	const file = fileURLToPath(import.meta.resolve("wrangler"));
	const args = [file, ...command, "--json", "--config=wrangler.toml"];
	const text = `${execFileSync(process.execPath, args, { stdio: "pipe" })}`;
	try {
		return JSON.parse(text);
	} catch {
		// The text may have the login.
		const reason = "printed no JSON. Does a module in NODE_OPTIONS print?";
		throw new Error(`wrangler ${command.join(" ")} ${reason}`);
	}
}

/** @type {Record<string, string>} */
let login;

/** Returns the headers that authenticate a request. */
function readLogin() {
	const { token, key, email } = wrangler("auth", "token");
	if (/[^ -~]/.test(`${token}${key}${email}`)) {
		// The error of fetch would print it, also in Wrangler.
		const what = "The login, such as CLOUDFLARE_API_TOKEN,";
		throw new Error(`${what} has a character that no token has.`);
	}
	return token
		? { Authorization: `Bearer ${token}` }
		: { "X-Auth-Key": key, "X-Auth-Email": email };
}

/** @typedef {{ message: string, code?: string, cause?: Failure, errors?: Failure[] }} Failure */

/**
 * Returns the messages and codes of an error and its causes: other properties may have a password.
 * @type {(error: Failure) => string}
 */
const reasonOf = ({ message, code, cause, errors = [] }) =>
	[message, code, ...[cause ?? [], errors].flat().map(reasonOf)]
		.filter(Boolean)
		.join(" ");

/** The pauses before a request is sent again, in seconds: ten minutes in all. */
const PAUSES = [1, 2, 4, 8, 16, 32, ...Array(9).fill(60)];

/**
 * Sends a request to Cloudflare's API, and repeats it, unless the response would be the same again.
 * Returns the JSON of the response.
 * @param {string} method
 * @param {string} url
 * @param {object} [body]
 */
export async function send(method, url, body) {
	// After 1,200 requests in five minutes, Cloudflare blocks this user, in the dashboard, too.
	const pace = setTimeout(333);
	for (let i = 0; ; i++) {
		let reason = "";
		let isFinal = false;
		try {
			const res = await fetch(url, {
				method,
				body: JSON.stringify(body),
				headers: { "Content-Type": "application/json", ...login },
				redirect: "manual", // A different host must not get the login.
				signal: AbortSignal.timeout(120_000),
			});
			const text = await res.text();
			const json = text.startsWith("{") ? JSON.parse(text) : {};
			if (res.ok && json.success) {
				await pace;
				return json;
			}
			const errors = JSON.stringify(json.errors ?? text.slice(0, 200));
			reason = `${res.status} ${errors}`;
			isFinal = /^(3|4(?!08|29))/.test(`${res.status}`);
		} catch (error) {
			reason = reasonOf(/** @type {Failure} */ (error));
		}
		const message = `${method} ${url}: ${reason}`;
		const used = JSON.stringify(login);
		// After an hour, Wrangler has a new token.
		if (isFinal) login = readLogin();
		isFinal &&= JSON.stringify(login) === used;
		if (isFinal || i === PAUSES.length) throw new Error(message);
		console.error(`${message}\nTries again in ${PAUSES[i]} s.`);
		await setTimeout(PAUSES[i] * 1000);
	}
}

/** Returns the URL of the namespace of the binding PLANTS. */
export async function findNamespace() {
	// This import takes a second.
	const { unstable_readConfig } = await import("wrangler");
	const config = unstable_readConfig(
		{ config: "wrangler.toml" },
		{ hideWarnings: true },
	);
	const region = env.CLOUDFLARE_COMPLIANCE_REGION ?? config.compliance_region;
	const host = `api${region === "fedramp_high" ? ".fed" : ""}.cloudflare.com`;
	const api = env.CLOUDFLARE_API_BASE_URL ?? `https://${host}/client/v4`;
	/** @type {{ binding: string, id?: string }[]} */
	const bindings = config.kv_namespaces;
	const id = bindings.find(({ binding }) => binding === "PLANTS")?.id;
	if (!id) {
		const list = "npx wrangler kv namespace list";
		throw new Error(`Write the id of PLANTS into wrangler.toml: ${list}`);
	}
	login = readLogin();
	const account =
		config.account_id || env.CLOUDFLARE_ACCOUNT_ID || findAccount();
	return `${api}/accounts/${account}/storage/kv/namespaces/${id}`;
}

/** Returns the id of the only account of the login. */
function findAccount() {
	const { accounts } = wrangler("whoami");
	if (accounts.length === 1) return accounts[0].id;
	throw new Error(
		`The login has ${accounts.length} accounts. Write account_id into wrangler.toml: npx wrangler whoami`,
	);
}
