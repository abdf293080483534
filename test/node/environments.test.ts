import { expect, it } from "vitest";
import {
	experimental_readRawConfig,
	type Unstable_Config,
	unstable_readConfig,
} from "wrangler";

const config = "wrangler.toml";
const { rawConfig } = experimental_readRawConfig({ config });
const read = (env: string) => unstable_readConfig({ config, env });
const topLevel = read("");
/** Each table of `env`, with what it inherits from the top level. */
const tables = Object.keys(rawConfig.env ?? {}).map(read);
/** Without tables, the top level is production. With tables, it is no environment. */
const environments = tables.length > 0 ? tables : [topLevel];

const REMEDY = "see A second environment in docs/operations.md";

it.each(environments)(
	"$name has a namespace, requires the token, has no URLs of old versions, and logs each error and each outcome",
	(environment) => {
		const { observability } = environment;
		// Wrangler's defaults, then what stands in wrangler.toml.
		const defaults = {
			head_sampling_rate: 1,
			persist: true,
			invocation_logs: true,
		};
		const logs = { ...defaults, ...observability, ...observability?.logs };
		const namespace = expect.objectContaining({ binding: "PLANTS" });
		expect({ ...environment, logs }, REMEDY).toMatchObject({
			name: expect.any(String),
			kv_namespaces: expect.arrayContaining([namespace]),
			secrets: { required: expect.arrayContaining(["ACCESS_TOKEN"]) },
			preview_urls: false,
			logs: { enabled: true, ...defaults },
		});
	},
);

it.each(environments)(
	"$name has an account_id if it has the id of a namespace",
	({ account_id, kv_namespaces }: Unstable_Config) => {
		const hasId = kv_namespaces.some(({ id }) => id);
		if (hasId) expect(account_id, "see README.md").toBeTruthy();
	},
);

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

it("gives each environment a Worker, a namespace and domains of its own", () => {
	const all = environments.flatMap(owned);
	expect(all, REMEDY).toEqual([...new Set(all)]);
});

// Otherwise, the test above does not see that another table has the id of production.
it("has the id of each namespace of production when there are tables", () => {
	const namespaces = tables.length > 0 ? read("production").kv_namespaces : [];
	for (const namespace of namespaces) {
		expect(namespace, REMEDY).toMatchObject({ id: expect.stringMatching(/./) });
	}
});

// Otherwise, a command without --env acts on production.
it("names a Worker, a namespace or a domain at the top level only without tables", () => {
	const owners = [topLevel, ...tables].map(owned).filter(([first]) => first);
	expect(owners, REMEDY).toEqual(environments.map(owned));
});
