import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

// The binding is what counts, whatever a developer's .dev.vars holds; the variable
// only tells Wrangler that the required secret is there.
const ACCESS_TOKEN = "test-token";
process.env.ACCESS_TOKEN = ACCESS_TOKEN;

export default defineConfig({
	test: {
		// map.test.ts lists the test files: from a cache it would miss a new one.
		fsModuleCache: false,
		// How long a machine takes is no rule of the service.
		testTimeout: 120_000,
		coverage: {
			// V8's own coverage cannot be had inside workerd.
			provider: "istanbul",
			include: ["src/**"],
			reporter: ["text"],
			thresholds: { 100: true },
		},
		projects: [
			{
				plugins: [
					cloudflareTest({
						wrangler: { configPath: "./wrangler.toml" },
						miniflare: { bindings: { ACCESS_TOKEN } },
					}),
				],
				test: { name: "runtime", include: ["test/*.test.ts"] },
			},
			{ test: { name: "wire", include: ["test/wire/*.test.ts"] } },
		],
	},
});
