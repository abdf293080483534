// An environment belongs to a checkout. The real Wrangler sends its requests to a local server.
import fs from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { experimental_readRawConfig, unstable_readConfig } from "wrangler";
import { newCheckout } from "./checkout.ts";

const PRODUCTION = `
name = "plants"
compatibility_date = "2026-10-27"
kv_namespaces = [{ binding = "PLANTS" }]
`;
const STAGING = `
${PRODUCTION}
env.staging.kv_namespaces = [{ binding = "PLANTS" }]
`;

/** A checkout with this wrangler.toml, without .env, and with an API that has each Worker. */
function newEnvironment(toml = STAGING) {
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
		// An empty variable names no environment.
		CLOUDFLARE_ENV: "",
	});
	checkout.write("wrangler.toml", toml);
	fs.rmSync(`${checkout.top}/.env`);
	return { ...checkout, named };
}

const LIST = "../scripts/wrangler kv key list --binding PLANTS --remote";

/** Each command must print only these lines, and send no request. */
async function expectRefused(
	{ fail, named }: ReturnType<typeof newEnvironment>,
	reason: string,
) {
	const line = `scripts/wrangler: ${reason} Nothing ran.`;
	expect(await fail(LIST)).toBe(line);
	expect(await fail("save.mjs")).toBe(line);
	expect(await fail("deploy")).toBe(
		`${line}\nscripts/deploy: Wrangler did not start: see the error above. Nothing is deployed.`,
	);
	expect([...named]).toEqual([]);
}

const WRITE_ONE_LINE =
	"Write one line into .env: CLOUDFLARE_ENV=<name>, or CLOUDFLARE_ENV= in a checkout of production.";

it.each([
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
	[
		"no file and no other environment",
		"production",
		{
			"wrangler.toml": `${PRODUCTION}[vars]\nenv = "x"\n[env]\n# x\n\n[assets]\ndirectory = "public"`,
		},
	],
])("with %s, the scripts act on %s", async (_, environment, files) => {
	const { succeed, ls, write, named } = newEnvironment();
	for (const [name, text] of Object.entries(files)) write(name, text);
	const worker = environment === "staging" ? "plants-staging" : "plants";
	for (const command of [LIST, "save.mjs"]) {
		named.clear();
		await succeed(command);
		expect([...named], command).toEqual([worker, `plants-of-${worker}`]);
	}
	expect(ls().join()).toMatch(new RegExp(`backup-${environment}-\\d+,`));
	const output = await succeed("deploy --dry-run");
	expect(output).toMatch(new RegExp(`: a dry run of the Worker ${worker} .*$`));
	expect(output).not.toContain("Multiple environments");
});

it.each([
	"[env]\n# A comment\nstaging.workers_dev = true",
	"[env]\r\nstaging.workers_dev = true\r\n",
	"[env.staging]",
	' [ "env" . staging ] # A comment',
	'[[env.staging.kv_namespaces]]\nbinding = "PLANTS"',
	"env.staging.workers_dev = true",
	"'env' = { staging = {} }",
])("does nothing without a file when wrangler.toml has %j", async (toml) => {
	const checkout = newEnvironment(PRODUCTION + toml);
	await expectRefused(checkout, WRITE_ONE_LINE);
});

it("does nothing without a file when it cannot read wrangler.toml", async () => {
	const { top, fail, named } = newEnvironment();
	fs.rmSync(`${top}/wrangler.toml`);
	expect(await fail(LIST)).toMatch(/ Nothing ran\.$/);
	expect([...named]).toEqual([]);
});

it.each([".env.staging", ".env.txt", ".dev.vars"])(
	"does nothing when the line is in %s",
	async (file) => {
		const checkout = newEnvironment();
		checkout.write(file, "CLOUDFLARE_ENV=staging");
		await expectRefused(checkout, WRITE_ONE_LINE);
	},
);

const linkToNothing = (path: string) => fs.symlinkSync("x", path);

it.each([
	[".env", "a directory", fs.mkdirSync],
	[".env", "a link to nothing", linkToNothing],
	[".env.local", "a directory", fs.mkdirSync],
	[".env.local", "a link to nothing", linkToNothing],
])("does nothing when %s is %s", async (file, _, make) => {
	for (const toml of [PRODUCTION, STAGING]) {
		const checkout = newEnvironment(toml);
		const other = file === ".env" ? ".env.local" : ".env";
		checkout.write(other, "CLOUDFLARE_ENV=");
		make(`${checkout.top}/${file}`);
		const reason = `Cannot read the file ${file}, which names the environment.`;
		await expectRefused(checkout, reason);
	}
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
	"CLOUDFLARE_ENV=production",
	"CLOUDFLARE_ENV=\nWRANGLER_CI_OVERRIDE_NAME=x",
])("does nothing when a file has %j", async (text) => {
	for (const file of [".env", ".env.local"]) {
		// The file is wrong, whether wrangler.toml has another environment or not.
		const checkout = newEnvironment(PRODUCTION);
		checkout.write(file, text);
		await expectRefused(checkout, WRITE_ONE_LINE);
	}
});

it("creates a namespace with the title that the operator writes", async () => {
	const { run, write } = newEnvironment();
	write(".env", "CLOUDFLARE_ENV=staging");
	const { output } = await run("../scripts/wrangler kv namespace create x");
	expect(output).toContain('title "x"');
});

it.each([
	"-e staging",
	"-e=",
	"-ye=",
	"--e staging",
	"--e=",
	"--env staging",
	'--env=""',
	"--env-file x",
	"--envFile=x",
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
