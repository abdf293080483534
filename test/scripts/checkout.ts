// A checkout for a test of its own, in which its commands run.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, vi } from "vitest";

const FILES =
	".dev.vars.example .gitignore .npmrc package.json public scripts src wrangler.toml";

/** Copies this checkout without git. Its commands get `variables`, and of the developer's only PATH. */
export function newCheckout(variables: Record<string, string> = {}) {
	// In this checkout, so that its packages are found.
	fs.mkdirSync(".wrangler", { recursive: true });
	const folder = resolve(fs.mkdtempSync(".wrangler/test-"));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const top = `${folder}/checkout`;
	for (const path of FILES.split(" ")) {
		fs.cpSync(path, `${top}/${path}`, { recursive: true });
	}
	fs.mkdirSync(`${folder}/temp`);
	const env = {
		HOME: folder,
		GIT_CEILING_DIRECTORIES: folder,
		TMPDIR: `${folder}/temp`,
		// Wrangler starts sooner, and sends nothing to Cloudflare.
		NODE_COMPILE_CACHE: resolve("node_modules/.cache/compile"),
		WRANGLER_SEND_METRICS: "false",
		// npm adds its notice below the last line.
		NPM_CONFIG_UPDATE_NOTIFIER: "false",
		PATH: `${top}/node_modules/.bin:${dirname(process.execPath)}:${process.env.PATH}`,
		...variables,
	};

	/** Starts a program in the checkout, without standard input. */
	function start(...command: string[]) {
		// One pipe for both streams: from two, the lines would come in any order.
		const shell = ["-c", 'exec "$0" "$@" 2>&1', ...command];
		const child = spawn("sh", shell, {
			cwd: top,
			env,
			stdio: ["ignore", "pipe", "ignore"],
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
		child.stdout.setEncoding("utf8").on("data", (data) => {
			output += data;
		});
		const ended = once(child, "close").then(([status]) => ({
			status,
			output: output.trimEnd(),
		}));
		return { ended, kill: (signal: NodeJS.Signals) => child.kill(signal) };
	}

	/** Runs a program, which must exit with this status. Returns its output. */
	async function run(expected: number, command: string[]) {
		const { output, status } = await start(...command).ended;
		expect(status, `${command}\n${output}`).toBe(expected);
		return output;
	}

	return {
		top,
		start,
		succeed: vi.defineHelper((...command: string[]) => run(0, command)),
		fail: vi.defineHelper((...command: string[]) => run(1, command)),
		ls: (path = "") => fs.readdirSync(join(top, path)),
		read: (path: string) => fs.readFileSync(join(top, path), "utf8"),
		write(path: string, text: string, mode = 0o644) {
			const file = join(top, path);
			fs.mkdirSync(dirname(file), { recursive: true });
			fs.writeFileSync(file, text, { mode });
		},
	};
}
