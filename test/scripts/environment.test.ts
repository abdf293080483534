// A second environment, as in docs/operations.md. The real Wrangler sends its requests to a local
// server, which has the Workers plants and plants-staging.
import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, serveApi } from "./checkout.ts";

const WRANGLER_TOML = `
compatibility_date = "2026-10-27"
kv_namespaces = [{ binding = "PLANTS" }]

[env.production]
name = "plants"
kv_namespaces = [{ binding = "PLANTS" }]

[env.staging]
name = "plants-staging"
kv_namespaces = [{ binding = "PLANTS" }]
`;

function newEnvironments() {
	/** The Workers and the namespaces in the requests. */
	const named = new Set<string>();
	const variables = serveApi((req, res) => {
		const url = `${req.url}`;
		const name = `${/\/(?:scripts|namespaces)\/([\w-]+)/.exec(url)?.[1]}`;
		named.add(name);
		const binding = { type: "kv_namespace", name: "PLANTS" };
		const bindings = [{ ...binding, namespace_id: `plants-of-${name}` }];
		const result = url.endsWith("/settings") ? { bindings } : [];
		const body = { success: true, errors: [], messages: [], result };
		res.end(JSON.stringify(body));
	});
	const checkout = newCheckout("scripts/wrangler", variables);
	checkout.write("wrangler.toml", WRANGLER_TOML);
	return { ...checkout, named };
}

it.each([
	["save.mjs --env production", "production", "plants"],
	["save.mjs -e staging", "staging", "plants-staging"],
	["CLOUDFLARE_ENV=staging save.mjs", "staging", "plants-staging"],
	["CLOUDFLARE_ENV=x save.mjs --env=staging", "staging", "plants-staging"],
])("%s saves %s", async (command, environment, worker) => {
	const { succeed, ls, named } = newEnvironments();
	const output = await succeed(command);
	expect(output).toMatch(
		new RegExp(`^\\[${environment}\\] Saved 0 plants .*$`),
	);
	expect(ls().join()).toMatch(new RegExp(`backup-${environment}-\\d+,`));
	expect([...named]).toEqual([worker, `plants-of-${worker}`]);
});

it.each([
	["deploy", "Add --env NAME, not --name. Nothing is deployed."],
	// The variable of an AI agent, for which wrangler deploy takes the name of package.json.
	["CLAUDECODE=1 deploy", "the name of your worker"],
	["CLAUDECODE=1 WRANGLER_LOG=error deploy", "the name of your worker"],
	["../scripts/wrangler secret bulk .dev.vars.example", "Worker name missing"],
	[
		"../scripts/wrangler kv key put 7 x --binding PLANTS --remote",
		"no Worker name is configured",
	],
	["save.mjs", "no Worker name is configured"],
	["CLOUDFLARE_ENV=staging save.mjs --env=", "no Worker name is configured"],
	["restore.mjs ../backup-production-1", "no Worker name is configured"],
])("sends no request without an environment: %s", async (command, reason) => {
	const { top, fail, ls, write, named } = newEnvironments();
	fs.mkdirSync(`${top}/backup-production-1`);
	write("backup-production-1/saved.json", '["7"]');
	write("backup-production-1/plants-1.json", '[{"key":"7","value":"{}"}]');
	expect(await fail(command)).toContain(reason);
	const folders = ls().filter((name) => name.startsWith("backup"));
	expect(folders).toEqual(["backup-production-1"]);
	expect([...named]).toEqual([]);
});

// The command script has other options on other systems.
it.runIf(process.platform === "linux")(
	"does not ask for a name in a terminal",
	async () => {
		const { fail, named } = newEnvironments();
		const output = await fail("script -qec deploy /dev/null");
		expect(output).toMatch(/ Add --env NAME, .* Nothing is deployed\.$/);
		expect([...named]).toEqual([]);
	},
);

it("needs no name for the local namespace", async () => {
	const { succeed } = newEnvironments();
	const output = await succeed("save.mjs --local");
	expect(output).toMatch(/^\[local\] Saved 0 plants .*$/);
});

it.each(["save.mjs --env x", "CLOUDFLARE_ENV=x save.mjs"])(
	"refuses an unknown environment: %s",
	async (command) => {
		const { fail, named } = newEnvironments();
		expect(await fail(command)).toContain("No environment found");
		expect([...named]).toEqual([]);
	},
);

it.each([
	"deploy --dry-run --env staging",
	"CLOUDFLARE_ENV=staging deploy --dry-run",
])("names the Worker of the environment: %s", async (command) => {
	const output = await newEnvironments().succeed(command);
	expect(output).toMatch(/: a dry run of the Worker plants-staging .*$/);
});

it("creates a namespace with the title that the operator writes", async () => {
	const { run } = newEnvironments();
	const { output } = await run("../scripts/wrangler kv namespace create x");
	expect(output).toContain('title "x"');
});

it.each([
	["new-token", "secrets.json"],
	["wrangler types types.d.ts", "types.d.ts"],
	["deploy --dry-run --name x --outdir build", "build"],
])("%s writes into its checkout, whatever CDPATH is", async (command, file) => {
	const { succeed, ls } = newCheckout();
	const other = newCheckout();
	await succeed(`cd .. && CDPATH=${other.top} scripts/${command}`);
	expect(ls()).toContain(file);
	expect(other.ls()).not.toContain(file);
});
