// The tests that take a minute and more: npm run test:browser and npm run test:scripts.
import { defineConfig } from "vitest/config";
import config from "./vitest.config.ts";

export default defineConfig({
	test: {
		...config.test,
		// A test mostly waits for Wrangler.
		maxWorkers: "100%",
		projects: ["browser", "scripts"].map((name) => ({
			extends: true,
			test: { name, include: [`test/${name}/*.test.ts`] },
		})),
	},
});
