// With the second environment of docs/operations.md, nothing may happen to production by mistake.
import fs from "node:fs";
import { expect, it } from "vitest";
import { TWO_ENVIRONMENTS } from "../node/second-environment.ts";
import { newCheckout, serveKv } from "./checkout.ts";

const node = process.execPath;
const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
const REMOTE_KEY = ["7", "--binding=PLANTS", "--remote"];

function newEnvironments(variables = {}) {
	const kv = serveKv();
	const checkout = newCheckout({ ...kv.variables, ...variables });
	checkout.write("wrangler.toml", TWO_ENVIRONMENTS);
	return { kv, ...checkout };
}

it.each([
	[["secret", "put", "ACCESS_TOKEN"], "Worker name missing"],
	[["rollback"], "need to provide a name for your Worker"],
	[["deploy", "src/index.ts"], "need to provide the name of your worker"],
	[["delete"], "worker name must be defined"],
	[["kv", "key", "put", "7", ...REMOTE_KEY], "no Worker name is configured"],
	[["kv", "key", "delete", ...REMOTE_KEY], "no Worker name is configured"],
])("wrangler %j sends no request without --env", async (args, reason) => {
	const { kv, fail } = newEnvironments();
	expect(await fail(node, WRANGLER, ...args)).toContain(reason);
	expect(kv.requests).toEqual([]);
});

it.each([
	[["save"], {}, "no Worker name is configured"],
	[["save", "--env="], { CLOUDFLARE_ENV: "staging" }, "no Worker name"],
	[["save", "--env=x"], {}, "No environment found"],
	[["restore", "backup-production-1"], {}, "no Worker name is configured"],
])("%j sends no request with %j", async (args, variables, reason) => {
	const { top, kv, fail, ls, write } = newEnvironments(variables);
	fs.mkdirSync(`${top}/backup-production-1`);
	write("backup-production-1/saved.json", '["7"]');
	write("backup-production-1/plants-1.json", '[{"key":"7","value":"{}"}]');
	const [script, ...rest] = args;
	expect(await fail(node, `scripts/${script}.mjs`, ...rest)).toContain(reason);
	const folders = ls().filter((name) => name.startsWith("backup"));
	expect(folders).toEqual(["backup-production-1"]);
	expect(kv.requests).toEqual([]);
});

it.each([
	[
		"--env=production",
		{},
		"production",
		"GET accounts/1/storage/kv/namespaces/of-plants/keys",
	],
	[
		"--env=staging",
		{ CLOUDFLARE_ENV: "production" },
		"staging",
		"GET accounts/1/workers/scripts/plants-staging/settings",
	],
	[
		"--",
		{ CLOUDFLARE_ENV: "staging" },
		"staging",
		"GET accounts/1/workers/scripts/plants-staging/settings",
	],
])(
	"save %s with %j saves %s",
	async (option, variables, environment, request) => {
		const { kv, succeed, write } = newEnvironments(variables);
		// Wrangler prefers this file to wrangler.toml.
		write("../wrangler.json", '{ "name": "another" }');
		const output = await succeed(node, "scripts/save.mjs", option);
		expect(output).toMatch(
			new RegExp(
				`^\\[${environment}\\] Saved 0 plants .* in backup-${environment}-\\d+$`,
				"m",
			),
		);
		expect(kv.requests[0]).toBe(request);
	},
);
