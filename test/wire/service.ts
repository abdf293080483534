import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions as workerOptions } from "wrangler";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The only token that the served Worker lets in. */
export const TOKEN = "wire-token";

export interface Home {
	path: string;
	remove: () => Promise<void>;
}

/** A new directory with what `wrangler deploy` would upload; what the Worker stores goes there, too. */
export async function build(): Promise<Home> {
	const path = await mkdtemp(join(tmpdir(), "plants-"));
	const wrangler = join(root, "node_modules/wrangler/bin/wrangler.js");
	await promisify(execFile)(
		process.execPath,
		[wrangler, "deploy", "--dry-run", "--outdir", join(path, "built")],
		{ cwd: root, env: { ...process.env, WRANGLER_LOG_PATH: path } },
	);
	return { path, remove: () => rm(path, { recursive: true, maxRetries: 5 }) };
}

export interface Service {
	port: number;
	/** The store, as the Worker has it. */
	plants: Awaited<ReturnType<Miniflare["getKVNamespace"]>>;
	stop: () => Promise<void>;
}

/**
 * Serves the Worker built in `path` on a free port, with the runtime and the store of
 * `wrangler dev`, but without the proxy that `wrangler dev` (and its test harness) puts in
 * front of the Worker: which itself answers a body that is cut off.
 */
export async function serve(path: string): Promise<Service> {
	process.env.WRANGLER_LOG = "error";
	const { bindings, ...options } = workerOptions(
		join(root, "wrangler.toml"),
	).workerOptions;
	const contents = await readFile(join(path, "built/index.js"), "utf8");
	const miniflare = new Miniflare({
		...convertV4MiniflareOptions({
			...options,
			name: "plants",
			modules: [{ type: "ESModule", path: "index.js", contents }],
			// Last, since a developer's .dev.vars and environment are in `bindings`.
			bindings: { ...(bindings as object), ACCESS_TOKEN: TOKEN },
		}),
		host: "127.0.0.1",
		port: 0,
		cf: false,
		enableDevRegistry: false,
		resourcePersistencePath: join(path, "state"),
	});
	const { port } = await miniflare.ready;
	const plants = await miniflare.getKVNamespace("PLANTS");
	return { port: Number(port), plants, stop: () => miniflare.dispose() };
}

/** Everything in the store, by its key. */
export async function storedIn({
	plants,
}: Service): Promise<Record<string, string>> {
	const stored: Record<string, string> = {};
	let page = await plants.list();
	for (;;) {
		const keys = page.keys.map(({ name }) => name);
		const values = await Promise.all(
			keys.map((key) => plants.get(key, "text")),
		);
		for (const [index, key] of keys.entries())
			stored[key] = values[index] ?? "";
		if (page.list_complete) return stored;
		page = await plants.list({ cursor: page.cursor });
	}
}
