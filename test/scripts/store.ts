// A namespace, and a checkout whose scripts run the real Wrangler.
import { pathToFileURL } from "node:url";
import { newCheckout } from "./checkout.ts";
import { serveKv } from "./server.ts";

// A URL, which has no spaces: in NODE_OPTIONS, a space ends an option.
const CLOCK = `--import=${pathToFileURL("test/scripts/clock.mjs")}`;
/** Node with that clock. */
export const NODE = [process.execPath, CLOCK];
export const SAVE = [...NODE, "scripts/save.mjs"];
export const RESTORE = [...NODE, "scripts/restore.mjs", "backup-1.jsonl"];
/** For npm, whose Node takes no arguments. */
export const SHELL = `umask 022; export WRANGLER_LOG=debug NODE_OPTIONS='${CLOCK}'; `;

/** For a wrangler.toml without an account. */
export const ANY_ACCOUNT = ["env", "CLOUDFLARE_ACCOUNT_ID="];

export const line = ([key, value]: string[]) =>
	`${JSON.stringify({ key, value })}\n`;
export const lines = (plants: object) =>
	Object.entries(plants).map(line).join("");

/** Plants with this value. */
export const newPlants = (value: string, length: number) =>
	Object.fromEntries(Array.from({ length }, (_, i) => [`${101 + i}`, value]));

/** A namespace with an old plant, and a checkout with a save of three plants. */
export function newStore(setting = 'account_id = "x"') {
	const kv = serveKv();
	kv.plants.set("7", "old");
	const checkout = newCheckout(kv.variables);
	const { top, ls, read, write } = checkout;
	// A different namespace is the first.
	const other = '[[kv_namespaces]]\nbinding = "OTHER"\nid = "other"\n\n';
	// Those of a service that is deployed may be written already.
	const config = `${setting}\n${read("wrangler.toml")}`
		.replace(/\naccount_id = .*/, "")
		.replace(/\n(# )?id = .*/, '\nid = "PLANTS"')
		.replace("[[kv_namespaces]]", `${other}$&`);
	write("wrangler.toml", config);
	write("backup-1.jsonl", lines({ 7: "plant 7", 8: "plant 8", 9: "plant 9" }));
	const file = `${top}/backup-1.jsonl`;
	return {
		kv,
		config,
		file,
		/** The last line of a restore that failed. */
		continueAt: (line: number) =>
			`Continue: npm run restore -- "${file}" ${line}`,
		saves: () => ls().filter((name) => /^backup-(?!1\.)/.test(name)),
		/** The pauses of the scripts, in ms. */
		waits: () => read("waits.txt").trim().split("\n").map(Number),
		/** The time limits of their requests, in ms. */
		limits: () => read("limits.txt").trim().split("\n").map(Number),
		...checkout,
	};
}

export type Kv = ReturnType<typeof serveKv>;

/** Responds to a request to a path with this end. */
export function on(kv: Kv, end: string, respond: Kv["intercept"]) {
	kv.intercept = (request, next, res) => {
		const { pathname } = new URL(request.url);
		return pathname.endsWith(end) ? respond(request, next, res) : next(request);
	};
}
