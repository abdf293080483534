import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

// With CLOUDFLARE_ENV of a developer, Wrangler would refuse wrangler.toml. A proxy of a developer
// would get the requests to localhost.
delete process.env.CLOUDFLARE_ENV;
process.env.no_proxy = process.env.NO_PROXY = "*";
// Otherwise, Wrangler warns for each file that the table secrets is experimental.
process.env.WRANGLER_LOG ??= "error";

export default defineConfig({
	test: {
		restoreMocks: true,
		// A slow machine must not fail a test. A test that waits for ever ends after this time.
		testTimeout: 120_000,
		hookTimeout: 120_000,
		// Shorter, so that a failure shows the last value.
		expect: { poll: { timeout: 90_000 } },
		coverage: {
			provider: "istanbul",
			include: ["src/**/*.ts"],
			reporter: ["text"],
			thresholds: { 100: true },
		},
		projects: [
			{
				extends: true,
				plugins: [
					cloudflareTest({
						wrangler: { configPath: "./wrangler.toml" },
						miniflare: { bindings: { ACCESS_TOKEN: "test-token" } },
					}),
				],
				test: {
					name: "worker",
					include: ["test/*.test.ts"],
					setupFiles: "test/setup.ts",
					// One workerd for all files: starting each takes longer than its tests.
					isolate: false,
					maxWorkers: 1,
				},
			},
			{
				extends: true,
				test: { name: "node", include: ["test/node/*.test.ts"] },
			},
		],
	},
});
