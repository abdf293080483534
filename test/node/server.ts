import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_readConfig as readConfig } from "wrangler";

/** Bundles the Worker like `wrangler deploy`. Returns a new directory with `index.js`. */
export function build(): string {
	const directory = mkdtempSync(join(tmpdir(), "plants-"));
	execFileSync(
		process.execPath,
		[
			"node_modules/wrangler/bin/wrangler.js",
			"deploy",
			"--dry-run",
			"--outdir",
			directory,
		],
		{ env: { ...process.env, WRANGLER_LOG_PATH: directory } },
	);
	return directory;
}

/**
 * Serves a bundle on a free port, with the runtime and the KV of `wrangler dev`.
 *
 * It has no `wrangler dev` proxy, which returns its own response for an incomplete body.
 */
export async function serve(directory: string) {
	const contents = readFileSync(join(directory, "index.js"), "utf8");
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			name: "plants",
			modules: [{ type: "ESModule", path: "index.js", contents }],
			compatibilityDate: readConfig({ config: "wrangler.toml" })
				.compatibility_date as string,
			bindings: { ACCESS_TOKEN: "test-token" },
			kvNamespaces: ["PLANTS"],
		}),
		host: "127.0.0.1",
		port: 0,
		cf: false,
		enableDevRegistry: false,
		resourcePersistencePath: join(directory, "state"),
	});
	const { port } = await miniflare.ready;
	const plants = await miniflare.getKVNamespace("PLANTS");
	return { port: Number(port), plants, stop: () => miniflare.dispose() };
}

// durability.test.ts runs this file in a process of its own.
if (import.meta.main) {
	const { port } = await serve(process.argv[2] ?? "");
	process.send?.(port);
	process.on("disconnect", () => process.exit());
}
