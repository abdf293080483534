// A checkout for a test of its own, in which its commands run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { findPackageJSON } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";

const COPIED = [
	".dev.vars.example",
	"package.json",
	"public",
	"scripts",
	"src",
	"wrangler.toml",
];
const LINKED = [
	"@hono/zod-validator",
	"hono",
	"swagger-ui-dist",
	"wrangler",
	"zod",
];

/**
 * Copies this checkout without git. Its commands get `variables`, and none of the developer.
 */
export function newCheckout(variables: Record<string, string> = {}) {
	const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "plants-")));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const top = `${folder}/checkout`;
	for (const path of COPIED) {
		fs.cpSync(path, `${top}/${path}`, { recursive: true });
	}
	fs.mkdirSync(`${top}/node_modules/.bin`, { recursive: true });
	fs.mkdirSync(`${top}/node_modules/@hono`);
	fs.mkdirSync(`${folder}/temp`);
	for (const name of LINKED) {
		const file = `${findPackageJSON(name, import.meta.url)}`;
		fs.symlinkSync(dirname(file), `${top}/node_modules/${name}`);
	}
	const env = {
		HOME: folder,
		TMPDIR: `${folder}/temp`,
		PATH: `${top}/node_modules/.bin:${dirname(process.execPath)}:${process.env.PATH}`,
		...variables,
	};

	/** Starts a program in the checkout, with nothing to read. */
	function start(program: string, ...args: string[]) {
		const child = spawn(program, args, {
			cwd: top,
			env,
			stdio: ["ignore", "pipe", "pipe"],
			// The end of the test ends its Wrangler, too.
			detached: true,
		});
		onTestFinished(() => {
			try {
				process.kill(-Number(child.pid), "SIGKILL");
			} catch (error) {
				expect(error).toMatchObject({ code: "ESRCH" }); // They have ended.
			}
		});
		let output = "";
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding("utf8").on("data", (data) => {
				output += data;
			});
		}
		const ended = once(child, "close").then(([status]) => ({
			status,
			output: output.trimEnd(),
		}));
		return { ended, kill: (signal: NodeJS.Signals) => child.kill(signal) };
	}

	/** Runs a program, which must exit with this status. Returns its output. */
	async function runExpecting(expected: number, command: string[]) {
		const [program = "", ...args] = command;
		const { output, status } = await start(program, ...args).ended;
		expect(status, `${command.join(" ")}\n${output}`).toBe(expected);
		return output;
	}

	return {
		top,
		start,
		succeed: vi.defineHelper((...command: string[]) =>
			runExpecting(0, command),
		),
		fail: vi.defineHelper((...command: string[]) => runExpecting(1, command)),
		ls: (path = "") => fs.readdirSync(join(top, path)),
		read: (path: string) => fs.readFileSync(join(top, path), "utf8"),
		write: (path: string, text: string) =>
			fs.writeFileSync(join(top, path), text),
	};
}
