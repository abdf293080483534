// Bundles a variant, runs it in workerd, and measures the process from outside.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { unstable_readConfig } from "wrangler";

const root = join(import.meta.dirname, "../..");
// Not named require: an editor would miss the types of workerd, which has none.
const load = createRequire(import.meta.url);
/** @type {{ default: string }} */
const { default: workerd } = load("workerd");

// Only what shapes a bundle: the assets, for example, are not part of it.
const { compatibility_date, compatibility_flags, minify, keep_names } =
	unstable_readConfig({ config: join(root, "wrangler.toml") });

/**
 * Bundles `entry` with the settings of `wrangler.toml`; `gzip` is the size in bytes.
 * @param {string} entry
 * @param {string} directory
 */
export function build(entry, directory) {
	fs.mkdirSync(directory);
	const settings = {
		name: "variant",
		main: join(root, entry),
		compatibility_date,
		compatibility_flags,
		minify,
		keep_names,
		send_metrics: false,
	};
	fs.writeFileSync(join(directory, "wrangler.json"), JSON.stringify(settings));
	const wrangler = load.resolve("wrangler");
	const args = [wrangler, "deploy", "--dry-run", "--outdir=."];
	execFileSync(process.execPath, args, { cwd: directory, encoding: "utf8" });

	const bundle = `${basename(entry, ".ts")}.js`;
	const driver = join(import.meta.dirname, "driver.js");
	fs.copyFileSync(driver, join(directory, "driver.js"));
	const config = join(directory, "config.capnp");
	fs.writeFileSync(
		config,
		`using Workerd = import "/workerd/workerd.capnp";
		const config :Workerd.Config = (
			v8Flags = ["--expose-gc"],
			services = [(name = "bench", worker = (
				modules = [
					(name = "driver", esModule = embed "driver.js"),
					(name = "variant", esModule = embed "${bundle}"),
				],
				compatibilityDate = "${compatibility_date}",
				compatibilityFlags = ${JSON.stringify(compatibility_flags)},
				bindings = [(name = "ACCESS_TOKEN", text = "right-token")],
			))],
			sockets = [(name = "http", address = "127.0.0.1:0", service = "bench")],
		);`,
	);
	const { byteLength } = gzipSync(fs.readFileSync(join(directory, bundle)));
	return { config, gzip: byteLength };
}

/** @typedef {import("node:stream").Readable} Readable */
/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set();
process.on("exit", () => {
	for (const child of children) child.kill("SIGKILL");
});

/**
 * Starts workerd with the configuration of a build. `send` throws on a wrong response.
 * @param {string} config
 */
export async function start(config) {
	const startedAt = performance.now();
	const child = spawn(workerd, ["serve", "--control-fd=3", config], {
		stdio: ["ignore", "inherit", "pipe", "pipe"],
	});
	const stderr = /** @type {Readable} */ (child.stderr);
	const control = /** @type {Readable} */ (child.stdio[3]);
	// With --expose-gc, the compile cache of workerd does not fit. It says so for each isolate.
	createInterface(stderr).on("line", (line) => {
		if (!line.includes("compile cache failed")) console.error(line);
	});
	children.add(child);
	const [listenEvent] = await once(control, "data");
	/** @type {{ port: number }} */
	const { port } = JSON.parse(String(listenEvent));
	const schedstat = `/proc/${child.pid}/task/${child.pid}/schedstat`;
	return {
		/** @param {Batch} batch */
		async send(batch) {
			const response = await fetch(`http://127.0.0.1:${port}`, {
				method: "POST",
				body: JSON.stringify(batch),
				// workerd closes an idle connection after five seconds, which Node sees too late on a busy machine.
				headers: { Connection: "close" },
			});
			// workerd prints the error of the driver.
			if (!response.ok) throw new Error(`${config}: wrong response`);
		},
		/** Returns the CPU time of the main thread in ms; without Linux, the time since the start. */
		clock() {
			if (!fs.existsSync(schedstat)) return performance.now() - startedAt;
			return Number.parseInt(fs.readFileSync(schedstat, "utf8"), 10) / 1e6;
		},
		async stop() {
			child.kill("SIGKILL");
			await once(child, "exit");
			children.delete(child);
		},
	};
}
