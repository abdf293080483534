// The scripts run the real Wrangler. A server takes the place of Cloudflare's API.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { newCheckout } from "./checkout.ts";
import { failure, serve, serveKv, storedAll, success } from "./server.ts";

const CLOCK = `--import=${resolve("test/scripts/clock.mjs")}`;
const NODE = [process.execPath, CLOCK];
const SAVE = [...NODE, "scripts/save.mjs"];
const RESTORE = [...NODE, "scripts/restore.mjs", "backup-1.jsonl"];
/** For npm, whose Node takes no arguments. */
const SHELL = `umask 022; export WRANGLER_LOG=debug NODE_OPTIONS='${CLOCK}'; `;

const line = ([key, value]: string[]) => `${JSON.stringify({ key, value })}\n`;
const lines = (plants: object) => Object.entries(plants).map(line).join("");

/** Plants with this value. */
const newPlants = (value: string, length: number) =>
	Object.fromEntries(Array.from({ length }, (_, i) => [`${101 + i}`, value]));

/** A namespace with an old plant, and a checkout with a save of three plants. */
async function newStore(setting = 'account_id = "x"') {
	const kv = serveKv();
	kv.plants.set("7", "old");
	const checkout = newCheckout(kv.variables);
	const { top, ls, read, write } = checkout;
	// Another namespace is the first.
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
		goOn: (line: number) => `Go on: npm run restore -- "${file}" ${line}`,
		saves: () => ls().filter((name) => /^backup-(?!1\.)/.test(name)),
		/** The pauses of the scripts, in ms. */
		waits: () => read("waits.txt").trim().split("\n").map(Number),
		...checkout,
	};
}

type Kv = ReturnType<typeof serveKv>;

/** Responds to a request to a path with this end. */
function on(kv: Kv, end: string, respond: Kv["intercept"]) {
	kv.intercept = (request, next, res) => {
		const { pathname } = new URL(request.url);
		return pathname.endsWith(end) ? respond(request, next, res) : next(request);
	};
}

/** Lists 105 keys at once, and the key 6, too: KV lists a deleted key for a minute. */
const listDeleted: Kv["intercept"] = async (request, next) => {
	const url = new URL(request.url);
	const last = url.searchParams.get("cursor") ?? "+&";
	if (!last.startsWith("+&")) return failure(400, "Wrong cursor");
	url.searchParams.set("cursor", last.slice(2));
	url.searchParams.set("limit", "105");
	const response = await next(new Request(url, request));
	const { result, ...page } = (await response.json()) as Keys;
	const cursor = page.result_info.cursor && `+&${page.result_info.cursor}`;
	const keys = [...result, { name: "6" }];
	return Response.json({ ...page, result: keys, result_info: { cursor } });
};
interface Keys {
	result: object[];
	result_info: { cursor: string };
}

it("saves the plants for the owner alone, and restores them", async () => {
	const plants = newPlants("{}", 110);
	// The largest body is {"id":8,"name":"…"} with 102,400 bytes: two for each quote.
	plants[8] = JSON.stringify({ name: '"'.repeat(51_190) });
	// The last is valid UTF-8.
	plants[7] = "\u2028\u2029\r\n\u0085\ufffd";
	const { kv, saves, top, succeed, read, write } = await newStore();
	// Wrangler prefers this file to wrangler.toml.
	write("../wrangler.json", "{");
	for (const entry of Object.entries(plants)) kv.plants.set(...entry);

	on(kv, "/keys", listDeleted);
	const saved = await succeed("sh", "-c", `${SHELL} npm run save`);
	const [file = ""] = saves();
	expect(file).toMatch(/^backup-\d{17}\.jsonl$/); // Each save has its own.
	expect(saved).toContain("Saved 105 plants of 106 keys\n");
	expect(saved.split("\n").at(-1)).toBe(
		`Saved 112 plants of 114 keys in ${file}`,
	);
	expect(fs.statSync(`${top}/${file}`).mode & 0o077).toBe(0);
	const texts = read(file).trimEnd().split("\n");
	const entries = texts.map((text) => Object.values(JSON.parse(text)));
	expect(Object.fromEntries(entries)).toEqual(plants);

	kv.plants.set("201", "changed");
	kv.plants.delete("202");
	kv.plants.set("another", "{}");
	// Editors may write a byte order mark, CRLF and empty lines, and no line feed at the end.
	const edited = `\ufeff${read(file).replaceAll("\n", "\r\n\r\n")}`;
	write(file, edited.trimEnd());
	const shell = `${SHELL} cd src; npm run restore -- ../${file}`;
	const restored = (await succeed("sh", "-c", shell)).split("\n");
	expect(restored.at(-1)).toBe(`Restored 112 plants from ${top}/${file}`);
	expect(Object.fromEntries(kv.plants)).toEqual({ ...plants, another: "{}" });

	// Wrangler's log files would have the token.
	const files = fs.readdirSync(`${top}/..`, { recursive: true });
	expect(files).not.toContainEqual(expect.stringMatching(/wrangler-.*log$/));
});

it.each(["backup-1.jsonl", "backup-1.incomplete"])("git ignores %s", (file) => {
	expect(() => execFileSync("git", ["check-ignore", file])).not.toThrow();
});

it("saves nothing of a namespace without plants", async () => {
	const { kv, saves, fail } = await newStore();
	kv.plants.delete("7");
	on(kv, "/keys", listDeleted);
	const reason = /There are no plants. Is it the right account\?$/;
	expect(await fail(...SAVE)).toMatch(reason);
	expect(saves()).toEqual([]);
});

/** A namespace with 102 plants, whose second get has the response of `respond`. */
async function newLargeStore(respond: () => Promise<Response>) {
	const store = await newStore();
	const incomplete: string[] = [];
	const plants = Object.entries(newPlants("{}", 101));
	for (const entry of plants) store.kv.plants.set(...entry);
	on(store.kv, "/bulk/get", async (request, next) => {
		const text = await request.clone().text();
		if (text.includes('"101"')) return next(request);
		incomplete.push(...store.saves());
		return respond();
	});
	return { incomplete, ...store };
}

it.each([
	["a get fails", failure(503, "Please wait"), / 503 .*10000.*Please wait/],
	["a value is missing", success({ values: {} }), /\d is not text/],
	["a get has no result", success(null), /\d is not text/],
])("leaves no file of a save when %s", async (_, response, reason) => {
	const respond = async () => response.clone();
	const { incomplete, saves, fail } = await newLargeStore(respond);
	expect(await fail(...SAVE)).toMatch(reason);
	expect(incomplete).not.toEqual([]);
	expect(saves()).toEqual([]);
});

it("takes a page without a cursor for the last one only if it is not full", async () => {
	const { kv, saves, fail, succeed } = await newStore();
	on(kv, "/keys", async () => success(Array(1000).fill({ name: "7" })));
	expect(await fail(...SAVE)).toMatch(/1,000 keys has no cursor/);
	expect(saves()).toEqual([]);
	on(kv, "/keys", async () => success(Array(999).fill({ name: "7" })));
	expect(await succeed(...SAVE)).toContain("Saved 999 plants of 999 keys in");
});

it("leaves no file of a save that is interrupted", async () => {
	let gets = 0;
	const { saves, start, ls } = await newLargeStore(() => {
		gets++;
		return new Promise(() => {});
	});
	const runs = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
		const { ended, kill } = start(...SAVE);
		return { ended, kill: () => kill(signal) };
	});
	const ends = runs.map(({ ended }) => ended);
	const allWait = vi.waitUntil(() => gets === 3, { timeout: 60_000 });
	await Promise.race([allWait, ...ends]);
	for (const { kill } of runs) kill();
	for (const { status } of await Promise.all(ends)) expect(status).toBe(1);
	expect(saves()).toEqual([]);
	expect(ls("../temp")).toEqual([]);
});

it("sends a request again that fails, after growing pauses", async () => {
	const { kv, waits, succeed } = await newStore();
	const cut = { "Content-Length": 99 };
	const attempts: Kv["intercept"][] = [
		async (_, __, res) => void res.destroy(),
		async (_, __, res) =>
			void res.writeHead(200, cut).write("{", () => res.destroy()),
		async (_, __, res) => void res.writeHead(200, cut).write("{"),
		async () => new Response("<html>"),
		async () => failure(200, "Please wait"),
		async () => new Response("<html>", { status: 520 }),
		async () => failure(408, "Please wait"),
		async () => failure(429, "Please wait", { "Retry-After": "86400" }),
	];
	kv.intercept = (...args) => {
		const respond = attempts.shift();
		return respond ? respond(...args) : args[1](args[0]);
	};
	// A body that hangs takes two minutes.
	const code =
		"const{timeout}=AbortSignal;AbortSignal.timeout=()=>timeout(2e3)";
	const hurry = `--import=data:text/javascript,${encodeURIComponent(code)}`;
	const output = await succeed(...SAVE.toSpliced(1, 0, hurry));
	expect(output).toMatch(
		/fetch failed.+other side closed.+terminated.+timeout.+200.+520.+408.+429/s,
	);
	const pauses = output.match(/(?<=Tries again in )\d+(?= s\.)/g)?.map(Number);
	expect(pauses).toEqual(pauses?.toSorted((a, b) => a - b));
	expect(pauses?.length).toBeGreaterThanOrEqual(8);
	expect(pauses?.at(-1)).toBeGreaterThan(pauses?.[0] ?? 0);
	const awaited = pauses?.map((seconds) => seconds * 1000);
	expect(waits()).toEqual(expect.arrayContaining(awaited ?? []));
});

it("sends a request again for ten minutes", async () => {
	const { kv, goOn, waits, fail } = await newStore();
	on(kv, "/bulk", async () => failure(503, "Please wait"));
	const output = (await fail(...RESTORE)).split("\n");
	expect(output.at(-2)).toMatch(/PUT .* 503 .*10000.*Please wait/);
	expect(output.at(-1)).toBe(goOn(1));
	const sum = waits().reduce((sum, ms) => sum + ms);
	expect(sum).toBeGreaterThan(590_000);
	expect(sum).toBeLessThan(610_000);
});

it("authenticates with CLOUDFLARE_API_KEY, and follows no redirect", async () => {
	const { kv, goOn, fail } = await newStore();
	const urls: unknown[] = [];
	const Location = serve((req, res) => urls.push(req.url) && res.end());
	on(kv, "/bulk", async ({ headers }) =>
		headers.get("Authorization") === "quokka"
			? failure(301, "Moved", { Location })
			: failure(401, "Authentication error"),
	);
	const env = "env -u CLOUDFLARE_API_TOKEN CLOUDFLARE_API_KEY=quokka";
	const login = [...env.split(" "), "CLOUDFLARE_EMAIL=x@example.com"];
	const output = (await fail(...login, ...RESTORE)).split("\n");
	expect(output.at(-3)).toBe("Stores lines 1 to 3");
	expect(output.at(-2)).toMatch(/PUT .+ 301 .*10000.*Moved/);
	expect(output.at(-1)).toBe(goOn(1));
	expect(output.join()).not.toContain("quokka");
	expect(urls).toEqual([]);
});

it("goes on with the next token of wrangler login when one expires", async () => {
	let tokens = 0;
	const tokenUrl = serve((_, res) => {
		const access_token = `token-${++tokens}`;
		res.setHeader("Content-Type", "application/json");
		res.end(JSON.stringify({ access_token, expires_in: 0, scope: "" }));
	});
	const { kv, write, succeed } = await newStore();
	const login =
		'oauth_token = "token-0"\nrefresh_token = "x"\nexpiration_time = "2026-01-01T00:00:00Z"';
	write("../.config/.wrangler/config/default.toml", login);
	kv.intercept = async (request, next) =>
		request.headers.get("Authorization") === "Bearer token-1"
			? failure(401, "Authentication error")
			: next(request);
	const env = `env -u CLOUDFLARE_API_TOKEN WRANGLER_TOKEN_URL=${tokenUrl}`;
	const output = await succeed(...env.split(" "), ...RESTORE);
	expect(output).not.toContain("token-");
	expect(Object.fromEntries(kv.plants)).toMatchObject({ 9: "plant 9" });
});

const ANY_ACCOUNT = ["env", "CLOUDFLARE_ACCOUNT_ID="];

it("takes the only account of the login when none is written", async () => {
	const { succeed } = await newStore("");
	const output = await succeed(...ANY_ACCOUNT, ...SAVE);
	expect(output).toContain("Saved 1 plants of 1 keys in");
});

it("says where to write the account when the login has several", async () => {
	const { kv, saves, fail } = await newStore("");
	kv.accounts.push("w");
	const output = await fail(...ANY_ACCOUNT, ...SAVE);
	expect(output).toMatch(
		/\b2 accounts.+\baccount_id\b.+wrangler.toml.+npx wrangler whoami$/,
	);
	expect(saves()).toEqual([]);
});

it("says where to write the id of the namespace", async () => {
	const { config, write, fail } = await newStore();
	write("wrangler.toml", config.replace('id = "PLANTS"', ""));
	const reason = /\bid\b.+wrangler.toml.+npx wrangler kv namespace list$/;
	expect(await fail(...SAVE)).toMatch(reason);
});

it("reads .env.local and .env, as Wrangler does", async () => {
	const { kv, write, succeed } = await newStore("");
	const env = Object.entries(kv.variables).map((pair) => `${pair.join("=")}\n`);
	write(".env", env.join(""));
	write(".env.local", "CLOUDFLARE_ACCOUNT_ID=x");
	const unset = Object.keys(kv.variables).flatMap((name) => ["-u", name]);
	const output = await succeed("env", ...unset, ...SAVE);
	expect(output).toContain("Saved 1 plants of 1 keys in");
	expect(kv.requests[0]).toContain("GET /accounts/x/storage/kv/namespaces/");
});

it("asks for wrangler login", async () => {
	const { fail } = await newStore();
	const output = await fail("env", "-u", "CLOUDFLARE_API_TOKEN", ...SAVE);
	expect(output).toContain("Not logged in. Please run `wrangler login`");
	expect(output).not.toContain("Tries again");
});

it("uses HTTPS_PROXY and the host of compliance_region, and says why a request fails", async () => {
	const hosts = new Set<unknown>();
	const proxy = createServer().listen(0);
	onTestFinished(() => void proxy.close());
	proxy.on("connect", ({ url }, socket) => {
		hosts.add(url);
		socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
	});
	const { port } = proxy.address() as AddressInfo;
	const region = 'account_id = "x"\ncompliance_region = "fedramp_high"';
	const { fail } = await newStore(region);
	const unset = "CLOUDFLARE_API_BASE_URL= CLOUDFLARE_COMPLIANCE_REGION=";
	const env = `env ${unset} HTTPS_PROXY=http://x:axolotl@localhost:${port}`;
	const output = await fail(...env.split(" "), ...SAVE);
	expect([...hosts]).toEqual(["api.fed.cloudflare.com:443"]);
	expect(output).toMatch(/\nGET .+ fetch failed .*\b407\b.*$/);
	expect(output).not.toMatch(/quokka|axolotl/);
});

it("says why no address of a host accepts the connection", async () => {
	const { write, fail } = await newStore();
	const errors = '["::1", "127.0.0.1"].map((address) => new Error(address))';
	const cause = `Object.assign(new AggregateError(${errors}), { code: "ECONNREFUSED" })`;
	write(
		"fetch.mjs",
		`globalThis.fetch = async () => { throw new TypeError("fetch failed", { cause: ${cause} }); };`,
	);
	const output = await fail(...SAVE.toSpliced(1, 0, "--import=./fetch.mjs"));
	expect(output).toMatch(/fetch failed .*ECONNREFUSED .*::1 .*127.0.0.1.*$/);
});

it("does not print a login that has a line feed", async () => {
	const { fail } = await newStore("");
	const token = "CLOUDFLARE_API_TOKEN=axolotl\nquokka";
	const output = await fail(...ANY_ACCOUNT, token, ...SAVE);
	expect(output).toContain("login");
	expect(output).not.toMatch(/quokka|axolotl/);
});

it.each(["at its start", "in its middle"])(
	"ends at once when a module in NODE_OPTIONS prints %s, without the login",
	async (time) => {
		const { kv, write, fail } = await newStore();
		write("print.cjs", 'if (require("fs").existsSync("x")) console.log("{");');
		if (time === "at its start") write("x", "");
		kv.intercept = async () => {
			write("x", "");
			return failure(401, "Authentication error");
		};
		const env = ["env", "NODE_OPTIONS=--require=./print.cjs"];
		const output = await fail(...env, ...SAVE);
		expect(output).toMatch(/^wrangler auth token .+NODE_OPTIONS/m);
		expect(output).not.toMatch(/quokka|Tries again/);
	},
);

it.each([
	["nothing", "", /\nName one file, .+$/],
	["two saves", "backup-1.jsonl backup-2.jsonl", /\nName one file, .+$/],
	["an incomplete save", "backup-1.incomplete", /\nName one file, .+$/],
	["a missing file", "x", /\nThere is no regular file .+\/checkout\/x$/],
	["a pipe", "/dev/stdin", /\nThere is no regular file \/dev\/stdin$/],
	[
		"a file without plants",
		"empty.jsonl",
		/\/empty.jsonl has no plants from line 1 on.$/,
	],
])("does not restore %s", async (_, args, reason) => {
	const { kv, fail, write } = await newStore();
	write("backup-1.incomplete", lines({ 7: "plant 7" }));
	write("empty.jsonl", "\n");
	const shell = `cat backup-1.jsonl | npm run restore -- ${args}`;
	expect(await fail("sh", "-c", shell)).toMatch(reason);
	expect(kv.requests).toEqual([]);
});

it.each([
	"{",
	"null",
	'{"value":"x"}',
	'{"key":"9","value":1}',
	// Not UTF-8, but Latin-1.
	line(["9", "Caf\xe9"]),
])("stores nothing, and names the line %j", async (text) => {
	const { kv, file, fail } = await newStore();
	fs.appendFileSync(file, text, "latin1");
	expect(await fail(...RESTORE)).toBe(
		`Reads ${file}\nLine 4 of ${file} is not a plant in UTF-8.`,
	);
	expect(kv.requests).toEqual([]);
});

it("stores at most 1,000 plants and 10 MB at once, and each key once", async () => {
	const { kv, waits, write, succeed } = await newStore();
	const large = newPlants("€".repeat(70_000), 50);
	const plants = { ...newPlants("new", 1100), ...large };
	write("backup-1.jsonl", lines(newPlants("old", 1100)) + lines(plants));
	let sent = "";
	const sizes: number[] = [];
	const lengths: number[] = [];
	on(kv, "/bulk", async (request) => {
		const body = await request.text();
		sizes.push(Buffer.byteLength(body));
		const batch: object[] = JSON.parse(body);
		lengths.push(batch.length);
		sent += batch.map((plant) => `${JSON.stringify(plant)}\n`).join("");
		return storedAll(batch);
	});
	const output = await succeed(...RESTORE);
	expect(lengths.length).toBeLessThan(10);
	expect(Math.max(...lengths)).toBeLessThanOrEqual(1000);
	expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000_000);
	expect(output).toContain("Restored 1100 plants from");
	// Three requests a second. None needs to wait before the first, or after the last.
	expect(Math.min(...waits())).toBeGreaterThanOrEqual(333);
	expect(waits().length).toBeGreaterThanOrEqual(kv.requests.length - 1);
	expect(sent === lines(plants)).toBe(true);
});

it("names the plants of a file that became shorter meanwhile", async () => {
	const { kv, file, goOn, fail } = await newStore("");
	on(kv, "/accounts", async (request, next) => {
		fs.truncateSync(file, line(["7", "plant 7"]).length);
		return next(request);
	});
	const output = (await fail(...ANY_ACCOUNT, ...RESTORE)).split("\n");
	expect(output.slice(-2)).toEqual(["2 plants are not stored: 8,9", goOn(2)]);
});

it.each([
	{ successful_key_count: 3 },
	{ successful_key_count: 2, unsuccessful_keys: [] },
	{ successful_key_count: 2, unsuccessful_keys: ["other"] },
	null,
])("names each plant of a batch when KV returns %j", async (result) => {
	const { kv, goOn, fail } = await newStore();
	on(kv, "/bulk", async () => success(result));
	const output = (await fail(...RESTORE)).split("\n");
	expect(output.slice(-2)).toEqual(["3 plants are not stored: 7,8,9", goOn(1)]);
});

it("stores the rest of a file when KV does not store some plants", async () => {
	const { kv, goOn, write, fail } = await newStore();
	const plants = newPlants("new", 1001);
	write("backup-1.jsonl", lines(plants));
	const sent: string[] = [];
	let failed: (string | undefined)[] | undefined;
	on(kv, "/bulk", async (request) => {
		const batch = (await request.json()) as { key: string }[];
		sent.push(...batch.map(({ key }) => key));
		if (failed) return storedAll(batch);
		failed = [sent[1], sent.at(-1)];
		return success({
			successful_key_count: batch.length - 2,
			unsuccessful_keys: failed,
		});
	});
	const output = (await fail(...RESTORE)).split("\n");
	expect(sent).toEqual(Object.keys(plants));
	const reason = `2 plants are not stored: ${failed}`;
	expect(output.slice(-2)).toEqual([reason, goOn(2)]);
});

it("goes on at the first line that is not stored", async () => {
	const { kv, goOn, write, fail, succeed } = await newStore();
	// Of the key 101, the last line counts: the line 2501.
	const [first = "", ...others] =
		lines(newPlants("new", 2500)).match(/.+\n/g) ?? [];
	const plants = [...others, first];
	write("backup-1.jsonl", [lines({ 101: "old" }), ...plants].join(""));
	const sent: string[][] = [];
	on(kv, "/bulk", async (request) => {
		const batch = (await request.json()) as object[];
		sent.push(batch.map((plant) => `${JSON.stringify(plant)}\n`));
		return sent.length === 2 ? failure(400, "No") : storedAll(batch);
	});
	const output = (await fail(...RESTORE)).split("\n");
	const [stored = [], refused = []] = sent;
	// The line 2 is the first that counts.
	const line = 2 + stored.length;
	expect(output.slice(-3)).toEqual([
		`Stores lines ${line} to ${line + refused.length - 1}`,
		expect.stringMatching(/PUT .* 400 .*10000.*No/),
		goOn(line),
	]);
	await succeed(...RESTORE, `${line}`);
	const rest = sent.slice(2);
	expect(refused).toEqual(rest[0]);
	expect([stored, ...rest].flat().join("") === plants.join("")).toBe(true);
});
