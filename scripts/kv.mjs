// What save.mjs and restore.mjs share: requests to the KV namespace, and how both scripts end.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pRetry from "p-retry";

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
	process.on(signal, () => process.exit(1));
}
process.on("uncaughtException", ({ message }) => {
	// Before that, an exit would cut a long message in a pipe.
	process.stderr.write(`${message}\n`, () => process.exit(1));
});

// As Wrangler does.
for (const file of [".env.local", ".env"]) {
	if (fs.existsSync(file)) process.loadEnvFile(file);
}
const { env } = process;
// Another level adds lines to the JSON. A log file would keep the token.
Object.assign(env, { WRANGLER_LOG: "log", WRANGLER_WRITE_LOGS: "false" });

/** @param {string[]} command */
function wrangler(...command) {
	const file = fileURLToPath(import.meta.resolve("wrangler"));
	const args = [file, ...command, "--json", "--config=wrangler.toml"];
	return `${execFileSync(process.execPath, args, { stdio: "pipe" })}`;
}

/** A response that will be the same if the request is sent again. */
class Rejection extends Error {}

let login = "";

/**
 * Sends a request to Cloudflare's API, and repeats it for ten minutes. Returns the JSON of the response.
 * @param {string} method
 * @param {string} url
 * @param {object} [body]
 */
export async function send(method, url, body) {
	login ||= wrangler("auth", "token");
	async function attempt() {
		const { token, key, email } = JSON.parse(login);
		const res = await fetch(url, {
			method,
			body: JSON.stringify(body),
			headers: {
				"Content-Type": "application/json",
				...(token
					? { Authorization: `Bearer ${token}` }
					: { "X-Auth-Key": key, "X-Auth-Email": email }),
			},
			redirect: "manual", // Another host must not get the login.
			signal: AbortSignal.timeout(120_000),
		});
		const text = await res.text();
		const json = text.startsWith("{") ? JSON.parse(text) : {};
		if (res.ok && json.success) return json;
		const reason = JSON.stringify(json.errors ?? text.slice(0, 200));
		const message = `${method} ${url}: ${res.status} ${reason}`;
		const used = login;
		const isFinal = !res.ok && res.status < 500 && res.status !== 429;
		// After an hour, Wrangler has another token.
		if (isFinal) login = wrangler("auth", "token");
		throw new (isFinal && login === used ? Rejection : Error)(message);
	}
	const response = pRetry(attempt, {
		retries: Number.POSITIVE_INFINITY,
		maxTimeout: 60_000,
		maxRetryTime: 600_000,
		shouldRetry({ error, retryDelay }) {
			if (error instanceof Rejection) return false;
			const pause = `Tries again in ${retryDelay / 1000} s.`;
			console.error(`${error.message} ${error.cause ?? ""}\n${pause}`);
			return true;
		},
	});
	// After 1,200 requests in five minutes, Cloudflare blocks this user, in the dashboard, too.
	return (await Promise.all([response, setTimeout(333)]))[0];
}

/** Returns the URL of the namespace of the binding PLANTS. */
export async function findNamespace() {
	// This import takes a second. It also makes fetch use HTTPS_PROXY.
	const { unstable_readConfig } = await import("wrangler");
	const config = unstable_readConfig({ config: "wrangler.toml" });
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
	let accounts = [{ id: config.account_id ?? env.CLOUDFLARE_ACCOUNT_ID }];
	if (!accounts[0]?.id) {
		console.log(`Looks for the account of ${id}: no account_id is written.`);
		({ accounts } = JSON.parse(wrangler("whoami")));
	}
	for (const account of accounts) {
		const url = `${api}/accounts/${account.id}/storage/kv/namespaces/${id}`;
		try {
			await send("GET", url);
			return url;
		} catch (error) {
			if (!(error instanceof Rejection)) throw error;
			if (!/: 40[34] /.test(error.message)) throw error;
			console.error(error.message);
		}
	}
	throw new Error(
		`No account has the namespace ${id}. Write account_id into wrangler.toml.`,
	);
}
