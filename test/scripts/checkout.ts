// What the tests of the scripts share: a checkout of their own, and the commands that run in it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, vi } from "vitest";

/** Takes the place of `scripts/wrangler`. */
export const STAND_IN = "test/scripts/stand-in.mjs";

/** Variables with which bash takes its input for a terminal. */
export const TERMINAL = { BASH_ENV: resolve("test/scripts/terminal.bash") };

/** A slow machine must not end a command. A command that hangs must end within a minute. */
const TIMEOUT_MS = 50_000;

/** Writes a program for bash. */
export function writeProgram(path: string, ...lines: string[]) {
	fs.mkdirSync(dirname(path), { recursive: true });
	const text = ["#!/usr/bin/env bash", ...lines, ""].join("\n");
	fs.writeFileSync(path, text, { mode: 0o755 });
}

/**
 * Copies this checkout without git. The variables of the developer stay out: its commands have
 * only `variables`.
 */
export function newCheckout(
	wrangler = "scripts/wrangler",
	variables: Record<string, string> = {},
) {
	const folder = fs.mkdtempSync(join(tmpdir(), "plants-"));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const top = `${folder}/checkout`;
	for (const path of [
		".dev.vars.example",
		"package.json",
		"public",
		"scripts",
		"src",
		"wrangler.toml",
	]) {
		fs.cpSync(path, `${top}/${path}`, { recursive: true });
	}
	fs.cpSync(wrangler, `${top}/scripts/wrangler`);
	fs.mkdirSync(`${top}/node_modules/.bin`, { recursive: true });
	for (const name of ["@hono", "hono", "swagger-ui-dist", "wrangler", "zod"]) {
		const path = resolve("node_modules", name);
		fs.symlinkSync(path, `${top}/node_modules/${name}`);
	}
	// No script may run another Wrangler.
	writeProgram(`${folder}/bin/wrangler`, "echo A global Wrangler; exit 1");
	const node = dirname(process.execPath);
	const PATH = `${folder}/bin:${top}/scripts:${node}:${process.env.PATH}`;

	/** Starts a line of bash in the folder `src`, with nothing to read. */
	function spawnBash(line: string) {
		const bash = spawn("bash", ["-c", line], {
			cwd: `${top}/src`,
			env: { HOME: folder, PATH, ...variables },
			stdio: ["ignore", "pipe", "inherit"],
			// Ctrl-C and the end of the test reach its commands, too.
			detached: true,
		});
		let output = "";
		bash.stdout.setEncoding("utf8").on("data", (data) => {
			output += data;
		});
		/** Sends a signal to the line and its commands, as Ctrl-C in a terminal does. */
		const killAll = (signal: NodeJS.Signals) => {
			try {
				process.kill(-Number(bash.pid), signal);
			} catch (error) {
				// ESRCH: they have ended.
				expect(error).toMatchObject({ code: "ESRCH" });
			}
		};
		onTestFinished(() => killAll("SIGKILL"));
		const timer = setTimeout(() => {
			output += `\nIt did not end in ${TIMEOUT_MS} ms.`;
			killAll("SIGKILL");
		}, TIMEOUT_MS);
		const ended = once(bash, "close").then(([status]) => {
			clearTimeout(timer);
			return { status, output: output.trimEnd() };
		});
		/** Waits until this is true, or until the line has ended. */
		const until = (isTrue: () => boolean) =>
			Promise.race([ended, vi.waitUntil(isTrue, { timeout: 2 * TIMEOUT_MS })]);
		return { bash, ended, killAll, until, output: () => output };
	}

	/** Runs a line of bash. Returns its output, without the end of the last line, and its status. */
	const run = (line: string) => spawnBash(`{ ${line}\n} 2>&1`).ended;

	return {
		top,
		run,

		/** Runs a line of bash, which must exit with 0. Returns its output. */
		succeed: vi.defineHelper(async (line: string) => {
			const { output, status } = await run(line);
			expect(status, `${line}\n${output}`).toBe(0);
			return output;
		}),

		/** Starts one program with its arguments. Variables may stand before it. */
		start(command: string) {
			// With exec, a signal reaches the program alone.
			const { bash, ended, killAll, until, output } = spawnBash(
				`exec env ${command} 2>&1`,
			);
			return {
				ended,
				kill: (signal: NodeJS.Signals) => bash.kill(signal),
				pressCtrlC: () => killAll("SIGINT"),
				/** Waits until its output has this text. */
				prints: vi.defineHelper(async (text: string) => {
					await until(() => output().includes(text));
					expect(output(), command).toContain(text);
				}),
				/** Waits until it has written this file. */
				writes: vi.defineHelper(async (path: string) => {
					const isWritten = () => fs.existsSync(path);
					await until(isWritten);
					expect(isWritten(), `${command}\n${output()}`).toBe(true);
				}),
			};
		},
	};
}
