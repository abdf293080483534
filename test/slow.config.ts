// The tests that take a minute, or need Chromium: npm run test:browser and npm run test:scripts.
import { defineConfig } from "vitest/config";

// As in vitest.config.ts.
delete process.env.CLOUDFLARE_ENV;

export default defineConfig({
	test: {
		include: ["test/{browser,scripts}/*.test.ts"],
		testTimeout: 120_000,
		hookTimeout: 120_000,
		// The tests mostly wait for other programs.
		maxWorkers: 4,
	},
});
