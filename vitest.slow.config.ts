// The tests that take a minute and more: npm run test:browser and npm run test:scripts.
import { defineConfig } from "vitest/config";
import config from "./vitest.config.ts";

export default defineConfig({
	test: {
		...config.test,
		// On a busy machine, a test that starts Wrangler twice takes two minutes.
		testTimeout: 300_000,
		hookTimeout: 300_000,
		// A test mostly waits for Wrangler.
		maxWorkers: "100%",
		projects: ["browser", "scripts"].map((name) => ({
			extends: true,
			test: { name, include: [`test/${name}/*.test.ts`] },
		})),
	},
});
