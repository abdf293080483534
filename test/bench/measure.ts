// Builds the contestants, runs them in workerd, and takes the time from outside.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	writeFileSync,
} from "node:fs";
import { createRequire, stripTypeScriptTypes } from "node:module";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

// Node strips types without a word when it runs a file, but warns when asked to strip one.
process.removeAllListeners("warning");

const root = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);
const wrangler = join(
	require.resolve("wrangler/package.json"),
	"../bin/wrangler.js",
);
const { default: workerd } = require("workerd") as { default: string };

const settings = readFileSync(join(root, "wrangler.toml"), "utf8");
const compatibilityDate = /^compatibility_date = "(.+)"/m.exec(settings)?.[1];

export interface Contestant {
	name: string;
	/** The entry point, from the project's root. */
	entry: string;
	/** Wrangler's keep_names: true is its default, which a peer's documentation leaves alone. */
	keepNames: boolean;
}

export interface Build {
	directory: string;
	bytes: number;
	gzip: number;
}

/** Bundles a contestant as `wrangler deploy` would; the service itself with its own settings. */
export async function build(
	{ entry, keepNames }: Contestant,
	directory: string,
): Promise<Build> {
	mkdirSync(directory, { recursive: true });
	const args = [wrangler, "deploy", "--dry-run", "--outdir", directory];
	if (entry !== "src/index.ts") {
		const config = join(directory, "wrangler.json");
		const settings = {
			name: "contestant",
			main: join(root, entry),
			compatibility_date: compatibilityDate,
			minify: true,
			keep_names: keepNames,
		};
		writeFileSync(config, JSON.stringify(settings));
		args.push("--config", config);
	}
	const env = { ...process.env, WRANGLER_SEND_METRICS: "false" };
	await promisify(execFile)(process.execPath, args, { cwd: root, env });
	const bundle = join(directory, `${basename(entry, ".ts")}.js`);
	copyFileSync(bundle, join(directory, "contestant.js"));
	const driver = readFileSync(
		join(import.meta.dirname, "driver-worker.ts"),
		"utf8",
	);
	writeFileSync(join(directory, "driver.js"), stripTypeScriptTypes(driver));
	writeFileSync(
		join(directory, "config.capnp"),
		`using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      v8Flags = ["--expose-gc"],
      services = [(name = "bench", worker = (
        modules = [
          (name = "driver", esModule = embed "driver.js"),
          (name = "contestant", esModule = embed "contestant.js"),
        ],
        compatibilityDate = "${compatibilityDate}",
        bindings = [(name = "ACCESS_TOKEN", text = "right-token")],
      ))],
      sockets = [(name = "http", address = "127.0.0.1:0", service = "bench")],
    );`,
	);
	const code = readFileSync(bundle);
	return { directory, bytes: code.byteLength, gzip: gzipSync(code).byteLength };
}

export interface KvUse {
	reads: number;
	writes: number;
}

/** One workerd process with one contestant in it. */
export class Runner {
	readonly #spawned = performance.now();
	readonly #process: ChildProcess;
	#port = 0;

	private constructor({ directory }: Build) {
		this.#process = spawn(
			workerd,
			["serve", "--control-fd=3", join(directory, "config.capnp")],
			{
				stdio: ["ignore", "inherit", "inherit", "pipe"],
			},
		);
	}

	static async start(build: Build): Promise<Runner> {
		const runner = new Runner(build);
		for await (const line of createInterface(
			runner.#process.stdio[3] as Readable,
		)) {
			const { event, port } = JSON.parse(line) as {
				event: string;
				port: number;
			};
			if (event !== "listen") continue;
			runner.#port = port;
			return runner;
		}
		throw new Error(`workerd did not start in ${build.directory}`);
	}

	/** Has `count` requests made, answered and checked; with 0, collects the garbage. */
	async run(figure: string, count: number): Promise<KvUse> {
		const query = new URLSearchParams({ figure, count: String(count) });
		const response = await fetch(`http://127.0.0.1:${this.#port}/?${query}`);
		if (!response.ok) throw new Error(await response.text());
		return (await response.json()) as KvUse;
	}

	/** The microseconds that one request of a batch takes. */
	async time(figure: string, count: number): Promise<number> {
		await this.run(figure, 0);
		const start = this.clock();
		await this.run(figure, count);
		return ((this.clock() - start) * 1000) / count;
	}

	/**
	 * Milliseconds since the process was started: the CPU time of its main thread, on which
	 * the JavaScript runs, where the system tells it (Linux); the time of day elsewhere.
	 */
	clock(): number {
		const { pid } = this.#process;
		const schedstat = `/proc/${pid}/task/${pid}/schedstat`;
		if (!existsSync(schedstat)) return performance.now() - this.#spawned;
		return Number.parseInt(readFileSync(schedstat, "utf8"), 10) / 1e6;
	}

	async stop(): Promise<void> {
		this.#process.kill("SIGKILL");
		await once(this.#process, "exit");
	}
}
