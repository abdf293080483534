import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import {
	experimental_patchConfig,
	experimental_readRawConfig,
	type Unstable_Config,
	unstable_readConfig,
} from "wrangler";
import { ONE_ENVIRONMENT, TWO_ENVIRONMENTS } from "./second-environment.ts";

const wranglerToml = fs.readFileSync("wrangler.toml", "utf8");

/** Writes a configuration of its own. Returns its path. */
function write(toml: string): string {
	const folder = fs.mkdtempSync(join(tmpdir(), "plants-"));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const config = `${folder}/wrangler.toml`;
	fs.writeFileSync(config, toml);
	return config;
}

/** What an environment has for itself on the platform: its Worker, namespaces and domains. */
const owned = ({
	name,
	kv_namespaces,
	route,
	routes = [],
}: Unstable_Config) => [
	...(name ? [name] : []),
	...kv_namespaces.flatMap(({ id }) => id ?? []),
	...[route ?? [], routes]
		.flat()
		.map((each) => (typeof each === "string" ? each : each.pattern)),
];

/**
 * What can lose plants, leave a leaked token valid, or stop the service without a sign. For the
 * reasons, see wrangler.toml in CONTRIBUTING.md.
 */
function problems(toml: string): string[] {
	const config = write(toml);
	const { rawConfig } = experimental_readRawConfig({ config });
	const read = (env: string): Unstable_Config =>
		unstable_readConfig({ config, env });
	/** Each table of `env`, with what it inherits from the top level. */
	const tables = Object.keys(rawConfig.env ?? {}).map(read);
	/** Without tables, the top level is production. With tables, it is no environment. */
	const environments = tables.length > 0 ? tables : [read("")];

	const found: string[] = [];
	const check = (isRight: unknown, problem: string) => {
		if (!isRight) found.push(problem);
	};
	for (const environment of environments) {
		const { name, account_id, kv_namespaces, secrets } = environment;
		const { observability, preview_urls } = environment;
		// Wrangler's default is true for all but `enabled`.
		const logs = { ...observability, ...observability?.logs };
		const { head_sampling_rate = 1, persist = true } = logs;
		const { enabled, invocation_logs = true } = logs;
		const hasId = kv_namespaces.some(({ id }) => id);
		const hasPlants = kv_namespaces.some(({ binding }) => binding === "PLANTS");
		check(name, "an environment has no name");
		check(hasPlants, `${name} has no namespace PLANTS`);
		check(
			secrets?.required?.includes("ACCESS_TOKEN"),
			`${name} can be deployed without ACCESS_TOKEN`,
		);
		check(preview_urls === false, `${name} has URLs of old versions`);
		check(
			enabled && persist && invocation_logs && head_sampling_rate === 1,
			`${name} does not log each error and each outcome`,
		);
		check(!hasId || account_id, `${name} has an id, but no account_id`);
	}
	const all = environments.flatMap(owned);
	check(
		new Set(all).size === all.length,
		"two environments share a Worker, a namespace or a domain",
	);
	if (tables.length > 0) {
		// Without --env, a command must find nothing of production.
		check(
			owned(read("")).length === 0,
			"the top level has a name, an id or a domain",
		);
		// Otherwise, nothing tells that another environment has the namespace of production.
		check(
			read("production").kv_namespaces.every(({ id }) => id),
			"production has a namespace without an id",
		);
	} else {
		check(rawConfig.env, "wrangler.toml has no [env]");
	}
	return found;
}

it("finds no problem in wrangler.toml", () => {
	const remedy = "see wrangler.toml in CONTRIBUTING.md";
	expect(problems(wranglerToml), remedy).toEqual([]);
});

it("finds no problem in A second environment of docs/operations.md", () => {
	expect(problems(ONE_ENVIRONMENT)).toEqual([]);
	expect(problems(TWO_ENVIRONMENTS)).toEqual([]);
});

// Wrangler writes the id of a namespace that it creates into the file. It writes nothing into a file
// with a comment, and it writes the whole file in its own format.
it.each([
	["wrangler.toml", wranglerToml],
	["A second environment", TWO_ENVIRONMENTS],
])(
	"%s has no comment, and the format in which Wrangler writes it",
	(_, toml) => {
		const config = write(toml);
		experimental_patchConfig(config, {}, false);
		const remedy = "see wrangler.toml in CONTRIBUTING.md";
		expect(fs.readFileSync(config, "utf8"), remedy).toBe(toml);
	},
);

const NO_TOKEN = "can be deployed without ACCESS_TOKEN";
const NO_LOG = "does not log each error and each outcome";
const SHARED = "two environments share a Worker, a namespace or a domain";

it.each<[string, RegExp, string, string]>([
	["no name", /name = .*/, "", "an environment has no name"],
	["no account", /account_id = .*/, "", "plants has an id, but no account_id"],
	["no secret", /"ACCESS_TOKEN"/, "", `plants ${NO_TOKEN}`],
	["no namespace", /"PLANTS"/, '"OTHER"', "plants has no namespace PLANTS"],
	["no log", /enabled = true/, "enabled = false", `plants ${NO_LOG}`],
	[
		"half a log",
		/enabled.*/,
		"$&\nhead_sampling_rate = 0.5",
		`plants ${NO_LOG}`,
	],
	[
		"no log to read later",
		/enabled.*/,
		"$&\npersist = false",
		`plants ${NO_LOG}`,
	],
	[
		"no outcomes",
		/enabled.*/,
		"$&\ninvocation_logs = false",
		`plants ${NO_LOG}`,
	],
	[
		"URLs of old versions",
		/preview_urls.*/,
		"",
		"plants has URLs of old versions",
	],
	["no [env]", /\[env\]/, "", "wrangler.toml has no [env]"],
])(
	"finds the problem when one environment has %s",
	(_, text, change, problem) => {
		expect(problems(ONE_ENVIRONMENT.replace(text, change))).toEqual([problem]);
	},
);

it.each<[string, RegExp, string, string]>([
	["staging has the Worker of production", /plants-staging/, "plants", SHARED],
	[
		"staging has the namespace of production",
		/$/,
		'id = "of-plants"\n',
		SHARED,
	],
	["staging has the route of production", /^/, 'route = "x.com"\n', SHARED],
	[
		"staging has the domain of production",
		/^/,
		'routes = [{ pattern = "x.com", custom_domain = true }]\n',
		SHARED,
	],
	[
		"staging has no name",
		/name = "plants-staging"/,
		"",
		"an environment has no name",
	],
	[
		"staging has no secret",
		/\[env.staging.secrets\]\n.*/,
		"",
		`plants-staging ${NO_TOKEN}`,
	],
	[
		"staging has no namespace",
		/\[\[env.staging.*\n.*/,
		"",
		"plants-staging has no namespace PLANTS",
	],
	[
		"the top level has a name",
		/^/,
		'name = "plants"\n',
		"the top level has a name, an id or a domain",
	],
	[
		"production has no id",
		/id = "of-plants"/,
		"",
		"production has a namespace without an id",
	],
])("finds the problem when %s", (_, text, change, problem) => {
	vi.spyOn(console, "warn").mockReturnValue(); // Wrangler warns, too.
	expect(problems(TWO_ENVIRONMENTS.replace(text, change))).toContain(problem);
});
