// What the tests of the scripts share: a checkout of their own, and the commands that run in it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, vi } from "vitest";

/** Takes the place of `scripts/wrangler`. */
export const STAND_IN = "test/scripts/stand-in.mjs";

/** Variables with which bash takes its input for a terminal. */
export const TERMINAL = { BASH_ENV: resolve("test/scripts/terminal.bash") };

/** Waits in a line of bash until the echo of this terminal is off. */
export const UNTIL_ECHO_IS_OFF =
	"until [ -e ~/stty-echo ]; do sleep 0.05; done";

/** Serves Cloudflare's API on this machine. Returns the variables with which Wrangler uses it. */
export function serveApi(listener: RequestListener) {
	const api = createServer(listener).listen(0);
	onTestFinished(() => void api.close());
	const { port } = api.address() as AddressInfo;
	return {
		CLOUDFLARE_API_BASE_URL: `http://localhost:${port}/client/v4`,
		CLOUDFLARE_ACCOUNT_ID: "x",
		CLOUDFLARE_API_TOKEN: "x",
	};
}

/** The pauses of restore.mjs take no time. */
const CLOCK = pathToFileURL("test/scripts/clock.mjs").href;

/** A slow machine must not end a command. A command that hangs must end within a minute. */
const TIMEOUT_MS = 50_000;

const COPIED = [
	".dev.vars.example",
	".gitignore",
	"package.json",
	"public",
	"scripts",
	"src",
	"wrangler.toml",
];
const LINKED = ["@hono", "hono", "swagger-ui-dist", "wrangler", "zod"];

/**
 * Copies this checkout without git. Its commands run in the folder `src`, with nothing to read,
 * with `scripts` in the path, with `variables` and without those of the developer.
 */
export function newCheckout(
	wrangler = "scripts/wrangler",
	variables: Record<string, string> = {},
) {
	const folder = fs.mkdtempSync(join(tmpdir(), "plants-"));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const top = `${folder}/checkout`;
	for (const path of COPIED) {
		fs.cpSync(path, `${top}/${path}`, { recursive: true });
	}
	fs.cpSync(wrangler, `${top}/scripts/wrangler`);
	fs.mkdirSync(`${top}/node_modules/.bin`, { recursive: true });
	for (const name of LINKED) {
		const path = resolve("node_modules", name);
		fs.symlinkSync(path, `${top}/node_modules/${name}`);
	}

	/** Writes a program for bash. */
	function program(path: string, line: string) {
		fs.mkdirSync(dirname(`${top}/${path}`), { recursive: true });
		const text = `#!/usr/bin/env bash\n${line}\n`;
		fs.writeFileSync(`${top}/${path}`, text, { mode: 0o755 });
	}
	// No script may run another Wrangler.
	program("../bin/wrangler", "echo A global Wrangler; exit 1");
	const node = dirname(process.execPath);
	const PATH = `${folder}/bin:${top}/scripts:${node}:${process.env.PATH}`;

	function spawnBash(line: string) {
		const bash = spawn("bash", ["-c", line], {
			cwd: `${top}/src`,
			env: {
				HOME: folder,
				PATH,
				NODE_OPTIONS: `--import=${CLOCK}`,
				...variables,
			},
			stdio: ["ignore", "pipe", "inherit"],
			// Ctrl-C and the end of the test reach its commands, too.
			detached: true,
		});
		let output = "";
		bash.stdout.setEncoding("utf8").on("data", (data) => {
			output += data;
		});
		/** Sends a signal to the line and its commands, as Ctrl-C in a terminal does. */
		function killAll(signal: NodeJS.Signals) {
			try {
				process.kill(-Number(bash.pid), signal);
			} catch (error) {
				// They have ended.
				expect(error).toMatchObject({ code: "ESRCH" });
			}
		}
		onTestFinished(() => killAll("SIGKILL"));
		const timer = setTimeout(() => {
			output += `\nIt did not end in ${TIMEOUT_MS} ms.`;
			killAll("SIGKILL");
		}, TIMEOUT_MS);
		const ended = once(bash, "close").then(([status]) => {
			clearTimeout(timer);
			return { status, output: output.trimEnd() };
		});
		return { bash, ended, killAll, output: () => output };
	}

	/** Runs a line of bash. Returns its status, and its output without the end of the last line. */
	const run = (line: string) => spawnBash(`{ ${line}\n} 2>&1`).ended;

	/** Runs a line of bash, which must exit with this status. Returns its output. */
	async function runExpecting(expected: number, line: string) {
		const { output, status } = await run(line);
		expect(status, `${line}\n${output}`).toBe(expected);
		return output;
	}

	return {
		top,
		program,
		run,
		succeed: vi.defineHelper((line: string) => runExpecting(0, line)),
		fail: vi.defineHelper((line: string) => runExpecting(1, line)),
		ls: (path = "") => fs.readdirSync(`${top}/${path}`),
		read: (path: string) => fs.readFileSync(`${top}/${path}`, "utf8"),
		write: (path: string, text: string) =>
			fs.writeFileSync(`${top}/${path}`, text),

		/** Starts one program with its arguments. Variables may stand before it. */
		start(command: string) {
			// With exec, a signal reaches the program alone.
			const line = `exec env ${command} 2>&1`;
			const { bash, ended, killAll, output } = spawnBash(line);
			const wait = async (isTrue: () => boolean) => {
				const timeout = 2 * TIMEOUT_MS;
				await Promise.race([ended, vi.waitUntil(isTrue, { timeout })]);
				expect(isTrue(), `${command}\n${output()}`).toBe(true);
			};
			return {
				ended,
				kill: (signal: NodeJS.Signals) => bash.kill(signal),
				pressCtrlC: () => killAll("SIGINT"),
				/** Waits until it prints this text. */
				prints: vi.defineHelper((text: string) =>
					wait(() => output().includes(text)),
				),
				/** Waits until it, or its Wrangler, writes this file. */
				writes: vi.defineHelper((path: string) =>
					wait(() => fs.existsSync(`${top}/${path}`)),
				),
			};
		},
	};
}
