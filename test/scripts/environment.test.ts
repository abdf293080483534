// Which environment the scripts act on. The real Wrangler sends its requests to a local server.
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { newCheckout } from "./checkout.ts";

/** What an operator adds to `wrangler.toml` for a second environment. */
const STAGING = `
staging.routes = []
staging.secrets = { required = ["ACCESS_TOKEN"] }
staging.kv_namespaces = [{ binding = "PLANTS" }]
`;

/** Starts an API that has any Worker. Returns its URL, and the Workers and namespaces of requests. */
function startApi() {
	const named = new Set<string>();
	const api = createServer((req, res) => {
		const path = `${req.url}`;
		const [, name] = /\/(?:scripts|namespaces)\/([\w-]+)/.exec(path) ?? [];
		named.add(`${name}`);
		const bindings = [
			{
				type: "kv_namespace",
				name: "PLANTS",
				namespace_id: `plants-of-${name}`,
			},
		];
		const result = path.endsWith("/settings") ? { bindings } : [];
		const body = { success: true, errors: [], messages: [], result };
		res.end(JSON.stringify(body));
	});
	onTestFinished(() => void api.close());
	const { port } = api.listen(0).address() as AddressInfo;
	return { url: `http://localhost:${port}/client/v4`, named };
}

it.each([
	["no file", "production", {}, ""],
	["a file", "staging", { ".env": "CLOUDFLARE_ENV=staging" }, ""],
	[
		"a file and an empty variable",
		"staging",
		{ ".env": "CLOUDFLARE_ENV=staging" },
		"CLOUDFLARE_ENV=",
	],
	[
		"two files",
		"staging",
		{ ".env": "CLOUDFLARE_ENV=x", ".env.local": "CLOUDFLARE_ENV=staging" },
		"",
	],
])(
	"with %s, the scripts act on %s",
	async (_, environment, files, variable) => {
		const { url, named } = startApi();
		const { top, run } = newCheckout("scripts/wrangler", {
			CLOUDFLARE_API_BASE_URL: url,
			CLOUDFLARE_ACCOUNT_ID: "x",
			CLOUDFLARE_API_TOKEN: "x",
		});
		fs.appendFileSync(`${top}/wrangler.toml`, STAGING);
		for (const [name, text] of Object.entries(files)) {
			fs.writeFileSync(`${top}/${name}`, text);
		}
		const worker = environment === "staging" ? "plants-staging" : "plants";
		for (const command of [
			"../scripts/wrangler kv key list --binding PLANTS --remote",
			"save.mjs",
		]) {
			named.clear();
			const { output, status } = await run(`${variable} ${command}`);
			expect(status, output).toBe(0);
			expect([...named], command).toEqual([worker, `plants-of-${worker}`]);
		}
		const name = new RegExp(`/backup-${environment}-\\d+$`);
		expect(fs.globSync(`${top}/backup-*`)).toEqual([
			expect.stringMatching(name),
		]);
	},
);

it.each(["save.mjs", "deploy", "../scripts/wrangler --version"])(
	"with a file and another variable, this fails: %s",
	async (command) => {
		const { top, run } = newCheckout();
		fs.writeFileSync(`${top}/.env`, "CLOUDFLARE_ENV=staging");
		const { output, status } = await run(`CLOUDFLARE_ENV=x ${command}`);
		expect(output).toContain("Unset CLOUDFLARE_ENV");
		expect(status).toBe(1);
	},
);
