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

/** A slow machine must not end a command, and one that hangs must end within a minute. */
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
		let hangs = false;
		const timer = setTimeout(() => {
			hangs = true;
			killAll("SIGKILL");
		}, TIMEOUT_MS);
		const ended = once(bash, "close").then(([status]) => {
			clearTimeout(timer);
			if (hangs) throw new Error(`${line}\nThis did not end:\n${output}`);
			return { status, output: output.trimEnd() };
		});
		return { bash, ended, killAll, output: () => output };
	}

	return {
		top,

		/** Runs a line of bash. Returns its status, and its output without the end of the last line. */
		run: (line: string) => spawnBash(`{ ${line}\n} 2>&1`).ended,

		/** Starts a command of one program, before which variables may stand. */
		start(command: string) {
			// With exec, a signal reaches the program alone.
			const { bash, ended, killAll, output } = spawnBash(
				`exec env ${command} 2>&1`,
			);
			return {
				ended,
				kill: (signal: NodeJS.Signals) => bash.kill(signal),
				pressCtrlC: () => killAll("SIGINT"),
				/** Waits until its output has this text. */
				prints: vi.defineHelper(async (text: string) => {
					const hasText = () => output().includes(text);
					const timeout = 2 * TIMEOUT_MS;
					await Promise.race([ended, vi.waitUntil(hasText, { timeout })]);
					expect(output(), command).toContain(text);
				}),
			};
		},
	};
}

/** Waits until a file is there. */
export const fileExists = (path: string) =>
	vi.waitUntil(() => fs.existsSync(path), { timeout: TIMEOUT_MS });
