import { expect, inject, it } from "vitest";
import packageJson from "../package.json";

declare module "vitest" {
	/** From `vitest.config.ts`: Wrangler cannot read its configuration in workerd. */
	interface ProvidedContext {
		config: Record<string, unknown> & { dev: { port?: number } };
	}
}

it("has the configuration that the README and docs/operations.md describe", () => {
	const config = inject("config");
	expect({
		name: config.name,
		workers_dev: config.workers_dev,
		preview_urls: config.preview_urls,
		port: config.dev.port,
		assets: config.assets,
		secrets: config.secrets,
		kv_namespaces: config.kv_namespaces,
		observability: config.observability,
		minify: config.minify,
		upload_source_maps: config.upload_source_maps,
	}).toEqual({
		name: "plants",
		workers_dev: true,
		preview_urls: false,
		port: undefined,
		assets: { directory: "src/docs" },
		secrets: { required: ["ACCESS_TOKEN"] },
		// An operator may add the id.
		kv_namespaces: [expect.objectContaining({ binding: "PLANTS" })],
		observability: { enabled: true, head_sampling_rate: 1 },
		minify: true,
		upload_source_maps: true,
	});
});

it("has the scripts that the README and docs/operations.md describe", () => {
	expect(packageJson.scripts).toMatchObject({
		test: "vitest run --project worker --project node",
		deploy: 'wrangler deploy --tag "$(git rev-parse --short HEAD)"',
	});
});
