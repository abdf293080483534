// With the second environment of docs/operations.md, nothing may happen to production by mistake.
import fs from "node:fs";
import { expect, it } from "vitest";
import { TWO_ENVIRONMENTS } from "../node/second-environment.ts";
import { command, newCheckout, serveKv } from "./checkout.ts";

function newEnvironments(variables = {}) {
	const kv = serveKv();
	const checkout = newCheckout({ ...kv.variables, ...variables });
	checkout.write("wrangler.toml", TWO_ENVIRONMENTS);
	return { kv, ...checkout };
}

it.each([
	["secret put ACCESS_TOKEN", "Worker name missing"],
	["rollback", "need to provide a name for your Worker"],
	["deploy src/index.ts", "need to provide the name of your worker"],
	["delete", "worker name must be defined"],
	["kv key put 7 x --binding PLANTS --remote", "no Worker name is configured"],
	["kv key delete 7 --binding PLANTS --remote", "no Worker name is configured"],
])("wrangler %s sends no request without --env", async (line, reason) => {
	const { kv, fail } = newEnvironments();
	const output = await fail(...command(`wrangler ${line}`));
	expect(output).toContain(reason);
	expect(kv.requests).toEqual([]);
});

it.each([
	["save", "", "no Worker name is configured"],
	["save --env=", "staging", "no Worker name is configured"],
	["save --env=x", "", "No environment found"],
	["restore backup-production-1", "", "no Worker name is configured"],
])(
	"%s sends no request, with CLOUDFLARE_ENV=%s",
	async (line, CLOUDFLARE_ENV, reason) => {
		const { top, kv, fail, ls, write } = newEnvironments({ CLOUDFLARE_ENV });
		fs.mkdirSync(`${top}/backup-production-1`);
		write("backup-production-1/saved.json", '["7"]');
		write("backup-production-1/plants-1.json", '[{"key":"7","value":"{}"}]');
		const output = await fail(...command(line));
		expect(output).toContain(reason);
		const folders = ls().filter((name) => name.startsWith("backup"));
		expect(folders).toEqual(["backup-production-1"]);
		expect(kv.requests).toEqual([]);
	},
);

it.each([
	["save --env=production", "", "production", "/of-plants/keys"],
	["save --env=staging", "production", "staging", "/plants-staging/settings"],
	["save", "staging", "staging", "/plants-staging/settings"],
])(
	"%s, with CLOUDFLARE_ENV=%s, saves %s",
	async (line, CLOUDFLARE_ENV, environment, path) => {
		const { kv, succeed, write } = newEnvironments({ CLOUDFLARE_ENV });
		// Wrangler prefers this file to wrangler.toml.
		write("../wrangler.json", '{ "name": "another" }');
		const output = await succeed(...command(line));
		const last = `^\\[${environment}\\] Saved 0 plants .* in backup-${environment}-\\d+$`;
		expect(output).toMatch(new RegExp(last, "m"));
		expect(kv.requests[0]).toMatch(new RegExp(`${path}$`));
	},
);
