import { expect, it } from "vitest";
import { experimental_readRawConfig, unstable_readConfig } from "wrangler";

const config = "wrangler.toml";

interface Environment {
	name: string;
	kv_namespaces: { id?: string }[];
	routes?: (string | { pattern: string })[];
}

it("has a Worker, a namespace and domains of its own in each environment", () => {
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
	expect(owned).toEqual([...new Set(owned)]);
});
