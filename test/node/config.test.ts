import { readFileSync, rmSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import packageJson from "../../package.json" with { type: "json" };
import { build } from "./server.ts";

it("has the configuration that docs/operations.md describes", () => {
	expect(readConfig({ config: "wrangler.toml" })).toMatchObject({
		name: "plants",
		kv_namespaces: [{ binding: "PLANTS" }],
		secrets: { required: ["ACCESS_TOKEN"] },
		observability: { enabled: true, head_sampling_rate: 1 },
		minify: true,
		upload_source_maps: true,
	});
	expect(packageJson.scripts.deploy).toBe(
		'wrangler deploy --tag "$(git rev-parse --short HEAD)"',
	);
});

it("has a bundle of at most 20 KB gzip", () => {
	const directory = build();
	const bundle = readFileSync(`${directory}/index.js`);
	rmSync(directory, { recursive: true });
	expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(20_000);
});
