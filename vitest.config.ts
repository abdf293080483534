import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: { bindings: { ACCESS_TOKEN: "test-token" } },
          }),
        ],
        test: { name: "runtime", include: ["test/*.test.ts"] },
      },
      { test: { name: "wire", include: ["test/wire/*.test.ts"] } },
    ],
  },
});
