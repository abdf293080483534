import { expect, inject, it } from "vitest";
import packageJson from "../package.json";

declare module "vitest" {
	/** From `vitest.config.ts`: Wrangler cannot read its configuration in workerd. */
	interface ProvidedContext {
		config: object;
	}
}

it("has the configuration that the README and docs/operations.md describe", () => {
	const expected = {
		name: "plants",
		workers_dev: true,
		preview_urls: false,
		dev: expect.not.objectContaining({ port: expect.anything() }),
		assets: { directory: "src/docs" },
		secrets: { required: ["ACCESS_TOKEN"] },
		// An operator may add the id.
		kv_namespaces: [expect.objectContaining({ binding: "PLANTS" })],
		observability: { enabled: true, head_sampling_rate: 1 },
		minify: true,
		upload_source_maps: true,
	};
	const config = Object.entries(inject("config"));
	const compared = config.filter(([name]) => name in expected);
	expect(Object.fromEntries(compared)).toEqual(expected);
});

it("has the scripts that the README and docs/operations.md describe", () => {
	expect(packageJson.scripts).toMatchObject({
		test: "vitest run --project worker --project node",
		deploy: 'wrangler deploy --tag "$(git rev-parse --short HEAD)"',
	});
});
