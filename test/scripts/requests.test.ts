// The requests of save and restore to Cloudflare's API.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { failure, serve } from "./server.ts";
import { ANY_ACCOUNT, type Kv, newStore, on, RESTORE, SAVE } from "./store.ts";

it("sends a request again that fails, after growing pauses", async () => {
	const { kv, waits, limits, start } = newStore();
	const cut = { "Content-Length": 99 };
	const attempts: Kv["intercept"][] = [
		async (_, __, res) => void res.destroy(),
		async (_, __, res) =>
			void res.writeHead(200, cut).write("{", () => res.destroy()),
		async (_, __, res) =>
			void res.writeHead(200, cut).write("{", () => save.kill("SIGUSR2")),
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
	const save = start(...SAVE);
	const { output, status } = await save.ended;
	expect(status, output).toBe(0);
	expect(output).toMatch(
		/fetch failed.+other side closed.+terminated.+aborted.+200.+520.+408.+429/s,
	);
	// A slow connection needs minutes for a batch of a restore.
	expect(Math.min(...limits())).toBeGreaterThanOrEqual(60_000);
	expect(Math.max(...limits())).toBeLessThanOrEqual(600_000);
	const pauses = output.match(/(?<=Tries again in )\d+(?= s\.)/g)?.map(Number);
	expect(pauses).toEqual(pauses?.toSorted((a, b) => a - b));
	expect(pauses?.length).toBeGreaterThanOrEqual(8);
	expect(pauses?.at(-1)).toBeGreaterThan(pauses?.[0] ?? 0);
	const awaited = pauses?.map((seconds) => seconds * 1000);
	expect(waits()).toEqual(expect.arrayContaining(awaited ?? []));
});

it("sends a request again for ten minutes", async () => {
	const { kv, continueAt, waits, fail } = newStore();
	on(kv, "/bulk", async () => failure(503, "Please wait"));
	const output = (await fail(...RESTORE)).split("\n");
	expect(output.at(-2)).toMatch(/PUT .* 503 .*10000.*Please wait/);
	expect(output.at(-1)).toBe(continueAt(1));
	const sum = waits().reduce((sum, ms) => sum + ms);
	expect(sum).toBeGreaterThan(590_000);
	expect(sum).toBeLessThan(610_000);
});

it("authenticates with CLOUDFLARE_API_KEY, and follows no redirect", async () => {
	const { kv, continueAt, fail } = newStore();
	const urls: unknown[] = [];
	const Location = serve((req, res) => urls.push(req.url) && res.end());
	on(kv, "/bulk", async ({ headers }) =>
		headers.get("Authorization") === "x@example.com quokka"
			? failure(301, "Moved", { Location })
			: failure(401, "Authentication error"),
	);
	const env = "env -u CLOUDFLARE_API_TOKEN CLOUDFLARE_API_KEY=quokka";
	const login = [...env.split(" "), "CLOUDFLARE_EMAIL=x@example.com"];
	const output = (await fail(...login, ...RESTORE)).split("\n");
	expect(output.at(-3)).toBe("Stores lines 1 to 3");
	expect(output.at(-2)).toMatch(/PUT .+ 301 .*10000.*Moved/);
	expect(output.at(-1)).toBe(continueAt(1));
	expect(output.join()).not.toContain("quokka");
	expect(urls).toEqual([]);
});

it("continues with the next token of wrangler login when one expires", async () => {
	let tokens = 0;
	const tokenUrl = serve((_, res) => {
		const access_token = `token-${++tokens}`;
		res.setHeader("Content-Type", "application/json");
		res.end(JSON.stringify({ access_token, expires_in: 0, scope: "" }));
	});
	const { kv, write, succeed } = newStore();
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

it("takes the only account of the login when none is written", async () => {
	const { succeed } = newStore("");
	const output = await succeed(...ANY_ACCOUNT, ...SAVE);
	expect(output).toContain("Saved 1 plants of 1 keys in");
});

it("says where to write the account when the login has several", async () => {
	const { kv, saves, fail } = newStore("");
	kv.accounts.push("w");
	const output = await fail(...ANY_ACCOUNT, ...SAVE);
	expect(output).toMatch(
		/\b2 accounts.+\baccount_id\b.+wrangler.toml.+npx wrangler whoami$/,
	);
	expect(saves()).toEqual([]);
});

it("says where to write the id of the namespace", async () => {
	const { config, write, fail } = newStore();
	write("wrangler.toml", config.replace('id = "PLANTS"', ""));
	const reason = /\bid\b.+wrangler.toml.+npx wrangler kv namespace list$/;
	expect(await fail(...SAVE)).toMatch(reason);
});

it("reads .env.local and .env, as Wrangler does", async () => {
	const { kv, write, succeed } = newStore("");
	const env = Object.entries(kv.variables).map((pair) => `${pair.join("=")}\n`);
	write(".env", env.join(""));
	write(".env.local", "CLOUDFLARE_ACCOUNT_ID=x");
	const unset = Object.keys(kv.variables).flatMap((name) => ["-u", name]);
	const output = await succeed("env", ...unset, ...SAVE);
	expect(output).toContain("Saved 1 plants of 1 keys in");
	expect(kv.requests[0]).toContain("GET /accounts/x/storage/kv/namespaces/");
});

it("asks for wrangler login", async () => {
	const { fail } = newStore();
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
	const { fail } = newStore(region);
	const unset = "CLOUDFLARE_API_BASE_URL= CLOUDFLARE_COMPLIANCE_REGION=";
	const env = `env ${unset} HTTPS_PROXY=http://x:axolotl@localhost:${port}`;
	const output = await fail(...env.split(" "), ...SAVE);
	expect([...hosts]).toEqual(["api.fed.cloudflare.com:443"]);
	expect(output).toMatch(/\nGET .+ fetch failed .*\b407\b.*$/);
	expect(output).not.toMatch(/quokka|axolotl/);
});

it("says why no address of a host accepts the connection", async () => {
	const { write, fail } = newStore();
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
	const { fail } = newStore("");
	const token = "CLOUDFLARE_API_TOKEN=axolotl\nquokka";
	const output = await fail(...ANY_ACCOUNT, token, ...SAVE);
	expect(output).toContain("login");
	expect(output).not.toMatch(/quokka|axolotl/);
});

it.each(["at its start", "in its middle"])(
	"ends at once when a module in NODE_OPTIONS prints %s, without the login",
	async (time) => {
		const { kv, write, fail } = newStore();
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
