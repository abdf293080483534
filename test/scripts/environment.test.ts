// An environment belongs to a checkout. The real Wrangler sends its requests to a local server.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { experimental_readRawConfig, unstable_readConfig } from "wrangler";
import { newCheckout } from "./checkout.ts";

const TOML = `
name = "plants"
compatibility_date = "2026-10-27"
kv_namespaces = [{ binding = "PLANTS" }]
env.staging.kv_namespaces = [{ binding = "PLANTS" }]
`;

/** A checkout with two environments, and with an API that has each Worker. */
function newStaging() {
	/** The Workers and the namespaces in the requests. */
	const named = new Set<string>();
	const api = createServer((req, res) => {
		const url = `${req.url}`;
		const [, name] = /\/(?:scripts|namespaces)\/([\w-]+)/.exec(url) ?? [];
		named.add(`${name}`);
		const binding = { type: "kv_namespace", name: "PLANTS" };
		const bindings = [{ ...binding, namespace_id: `plants-of-${name}` }];
		const result = url.endsWith("/settings") ? { bindings } : [];
		res.end(
			JSON.stringify({ success: true, errors: [], messages: [], result }),
		);
	});
	onTestFinished(() => void api.close());
	const { port } = api.listen(0).address() as AddressInfo;
	const checkout = newCheckout("scripts/wrangler", {
		CLOUDFLARE_API_BASE_URL: `http://localhost:${port}/client/v4`,
		CLOUDFLARE_ACCOUNT_ID: "x",
		CLOUDFLARE_API_TOKEN: "x",
	});
	checkout.write("wrangler.toml", TOML);
	return { ...checkout, named };
}

it.each([
	["no file", "production", {}],
	["a file", "staging", { ".env": "CLOUDFLARE_ENV=staging" }],
	["a file without a name", "production", { ".env": "CLOUDFLARE_ENV=\n" }],
	[
		"two files",
		"staging",
		{
			".env": "# CLOUDFLARE_ENV=x\nX=1",
			".env.local": "CLOUDFLARE_ENV=staging",
		},
	],
])("with %s, the scripts act on %s", async (_, environment, files) => {
	const { succeed, ls, write, named } = newStaging();
	for (const [name, text] of Object.entries(files)) write(name, text);
	const worker = environment === "staging" ? "plants-staging" : "plants";
	for (const command of [
		"../scripts/wrangler kv key list --binding PLANTS --remote",
		"save.mjs",
	]) {
		named.clear();
		await succeed(command);
		expect([...named], command).toEqual([worker, `plants-of-${worker}`]);
	}
	expect(ls().join()).toMatch(new RegExp(`backup-${environment}-\\d+,`));
	const output = await succeed("deploy --dry-run");
	expect(output).toMatch(new RegExp(`: a dry run of the Worker ${worker} .*$`));
	expect(output).not.toContain("Multiple environments");
});

it("creates a namespace with the title that the operator writes", async () => {
	const { run, write } = newStaging();
	write(".env", "CLOUDFLARE_ENV=staging");
	const { output } = await run("../scripts/wrangler kv namespace create x");
	expect(output).toContain('title "x"');
});

it.each([
	"",
	"cloudflare_env=staging",
	"CLOUDFLARE_ENV staging",
	"CLOUDFLARE_ENV: staging",
	'CLOUDFLARE_ENV="staging"',
	"CLOUDFLARE_ENV=staging\r\n",
	"export CLOUDFLARE_ENV=staging",
	"\ufeffCLOUDFLARE_ENV=staging",
	"CLOUDFLARE_ENV=staging\nCLOUDFLARE_ENV=",
	"CLOUDFLARE_ENV=\ncloudflare_env=staging",
])("does nothing when a file has %j", async (text) => {
	for (const file of [".env", ".env.local"]) {
		const { fail, write, named } = newStaging();
		write(file, text);
		for (const command of ["save.mjs", "deploy"]) {
			const output = await fail(command);
			expect(output).toMatch(/: Write one line .*\. Nothing ran\.$/m);
		}
		expect([...named]).toEqual([]);
	}
});

it.each([
	"-e staging",
	"-e=",
	"--env staging",
	'--env=""',
	"--name x",
	"--name=x",
	"--cwd ..",
])("refuses %s", async (option) => {
	const output = await newCheckout().fail(`deploy --dry-run ${option}`);
	expect(output).toMatch(
		/: Remove '-.*'.* Nothing ran\.\n.* Nothing is deployed\.$/,
	);
});

it.each(["save.mjs", "deploy"])(
	"refuses the variable CLOUDFLARE_ENV: %s",
	async (command) => {
		const { fail, write } = newCheckout();
		write(".env", "CLOUDFLARE_ENV=staging");
		const output = await fail(`CLOUDFLARE_ENV=x ${command}`);
		expect(output).toContain("Unset CLOUDFLARE_ENV");
	},
);

it.each([
	["new-token", "secrets.json"],
	["wrangler types types.d.ts", "types.d.ts"],
	["deploy --dry-run --outdir build", "build"],
])("%s writes into its checkout, whatever CDPATH is", async (command, file) => {
	const { succeed, ls } = newCheckout();
	const other = newCheckout();
	await succeed(`cd .. && CDPATH=${other.top} scripts/${command}`);
	expect(ls()).toContain(file);
	expect(other.ls()).not.toContain(file);
});

interface Environment {
	name: string;
	kv_namespaces: { id?: string }[];
	routes?: (string | { pattern: string })[];
}

it("gives each environment a Worker, a namespace and domains of its own", () => {
	const config = "wrangler.toml";
	const { rawConfig } = experimental_readRawConfig({ config });
	const environments = ["", ...Object.keys(rawConfig.env ?? {})];
	const owned = environments.flatMap((env) => {
		// With what it inherits: without `routes = []`, these are the domains of production.
		const environment: Environment = unstable_readConfig({ config, env });
		const { name, kv_namespaces, routes = [] } = environment;
		const ids = kv_namespaces.flatMap(({ id }) => id ?? []);
		const domains = routes.map((route) =>
			typeof route === "string" ? route : route.pattern,
		);
		return [name, ...ids, ...domains];
	});
	const remedy = "see A second environment in docs/operations.md";
	expect(owned, remedy).toEqual([...new Set(owned)]);
});
