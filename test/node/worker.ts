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

/**
 * Another Worker, with the same KV namespace and a service binding. Not getKVNamespace and getWorker: their
 * calls are synchronous, and a late Atomics.notify of Miniflare ends the wait of the next one too soon.
 */
const OTHER_WORKER = `export default {
	async fetch(request, { PLANTS, SERVICE }) {
		const [, binding, name] = new URL(request.url).pathname.split("/");
		const result = binding === "PLANTS" ? PLANTS.get(name) : SERVICE[name]();
		return Response.json(await result.catch(String));
	},
};`;

/** Starts the Worker of this folder with these secrets and an empty KV namespace. */
export async function start(
	directory: string,
	secrets: Record<string, string>,
) {
	const { workerOptions } = unstable_getMiniflareWorkerOptions(
		join(directory, "wrangler.toml"),
	);
	const server = new Miniflare({
		workers: [
			{
				...workerOptions,
				name: "plants",
				bindings: Object.assign({}, workerOptions.bindings, secrets),
				modules: true,
				modulesRoot: directory,
				scriptPath: join(directory, "index.js"),
			},
			{
				...workerOptions,
				name: "other",
				routes: ["other/*"],
				serviceBindings: { SERVICE: "plants" },
				modules: true,
				script: OTHER_WORKER,
			},
		],
	});
	const { origin } = await server.ready;
	async function call(path: string) {
		const res = await server.dispatchFetch(`http://other/${path}`);
		return (await res.json()) as string | null;
	}
	return {
		origin,
		/** Returns the value of a key in the KV namespace, or null. */
		stored: (key: string) => call(`PLANTS/${key}`),
		/** Calls a method over a service binding. Returns its result, or the error. */
		callMethod: (name: string) => call(`SERVICE/${name}`),
		stop: () => server.dispose(),
	};
}
