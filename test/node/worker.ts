// The Worker as it is deployed, in Miniflare.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";

/** Builds the Worker into this folder, beside a copy of its settings and of the page. */
export function build(directory: string): void {
	// Not in this checkout, since wrangler dev restarts when a file comes into public.
	for (const path of ["public", "wrangler.toml"]) {
		fs.cpSync(path, join(directory, path), { recursive: true });
	}
	const wrangler = fileURLToPath(import.meta.resolve("wrangler"));
	// Without --config, Wrangler prefers a wrangler.json in a folder above.
	const args = ["deploy", "--dry-run", "--config=wrangler.toml"];
	execFileSync(process.execPath, [wrangler, ...args, "--outdir", directory], {
		env: { ...process.env, WRANGLER_LOG_PATH: directory },
	});
}

/** Starts the Worker of this folder with these secrets and an empty KV namespace. */
export async function start(
	directory: string,
	secrets: Record<string, string>,
) {
	const { workerOptions } = unstable_getMiniflareWorkerOptions(
		join(directory, "wrangler.toml"),
	);
	const server = new Miniflare({
		...workerOptions,
		bindings: Object.assign({}, workerOptions.bindings, secrets),
		modules: true,
		modulesRoot: directory,
		scriptPath: join(directory, "index.js"),
	});
	const { origin } = await server.ready;
	return {
		origin,
		plants: await server.getKVNamespace("PLANTS"),
		/** What another Worker has as its service binding. */
		worker: await server.getWorker(),
		stop: () => server.dispose(),
	};
}
