import { expect, it } from "vitest";
import {
	experimental_readRawConfig,
	type Unstable_Config,
	unstable_readConfig,
} from "wrangler";

const config = "wrangler.toml";
const { rawConfig } = experimental_readRawConfig({ config });
const { env: tables = {} } = rawConfig;
const read = (env: string) => unstable_readConfig({ config, env });
const topLevel = read("");
/** The top level, and each table with what it inherits. */
const environments = [topLevel, ...Object.keys(tables).map(read)];

const REMEDY = "see A second environment in docs/operations.md";

it.each(environments)(
	"$name has a namespace, requires the token, has no URLs of old versions, and logs",
	(environment) => {
		const namespace = expect.objectContaining({ binding: "PLANTS" });
		expect(environment, REMEDY).toMatchObject({
			secrets: { required: expect.arrayContaining(["ACCESS_TOKEN"]) },
			kv_namespaces: expect.arrayContaining([namespace]),
			preview_urls: false,
			observability: { enabled: true },
		});
	},
);

/** The namespaces and the domains that an environment names. */
const owned = ({ kv_namespaces, routes = [] }: Unstable_Config) => [
	...kv_namespaces.flatMap(({ id }) => id ?? []),
	...routes.map((route) => (typeof route === "string" ? route : route.pattern)),
];

it("gives each environment a Worker, a namespace and domains of its own", () => {
	const names = environments.map(({ name }) => name);
	const all = [...names, ...environments.flatMap(owned)];
	expect(all, REMEDY).toEqual([...new Set(all)]);
});

// Otherwise, a command without --env acts on production.
it.runIf(Object.keys(tables).length > 0)(
	"names production in a table, and nothing of it at the top level",
	() => {
		const production = { name: expect.any(String) };
		expect(tables, REMEDY).toMatchObject({ production });
		expect(owned(topLevel), REMEDY).toEqual([]);
	},
);
