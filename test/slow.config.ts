// The tests that take minutes, or need Chromium: npm run test:browser and npm run test:scripts.
import { defineConfig } from "vitest/config";

delete process.env.CLOUDFLARE_ENV;

export default defineConfig({
	test: {
		restoreMocks: true,
		include: ["test/{browser,scripts}/*.test.ts"],
		// A test runs several commands. They mostly wait.
		testTimeout: 600_000,
		hookTimeout: 120_000,
		maxWorkers: 4,
	},
});
