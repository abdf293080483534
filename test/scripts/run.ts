// What the tests of the scripts share. Biome does not format them: it takes five lines for a row.
import { exec } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

export const STAND_IN = "test/scripts/wrangler.mjs";

/** What comes before a command: functions that it can call. */
const FUNCTIONS = `
program() { mkdir -p $(dirname $1) && printf '%s\\n' '#!/usr/bin/env bash' "$2" > $1 && chmod +x $1; }
commit() { git init -q .. && git add .. && git -c user.name=x -c user.email=x commit -qm x "$@"; }
wait_for() { for _ in {1..300}; do "$@" && return; sleep 0.1; done; }
# Another checkout, with another commit.
other() { cp -r .. ../../other && (cd ../../other/src && commit); }
# bash takes its input for a terminal, and tells what stty gets.
terminal() { printf '%s\\n' '[() { builtin [ "$1" = -t ] || builtin [ "$@"; }' 'stty() { echo stty "$@"; trap -p TSTP; }' > tty; export BASH_ENV=$PWD/tty; }
program ../../bin/wrangler 'echo A global Wrangler; exit 1'
`;

/** Runs a command in the folder src of a new checkout. Returns its output and its status. */
export async function run(command: string, wrangler = "scripts/wrangler", variables = {}) {
	const folder = fs.mkdtempSync(join(tmpdir(), "plants-"));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const top = `${folder}/checkout`;
	for (const path of [".dev.vars.example", "package.json", "public", "scripts", "src", "wrangler.toml"])
		fs.cpSync(path, `${top}/${path}`, { recursive: true });
	fs.cpSync(wrangler, `${top}/scripts/wrangler`);
	fs.mkdirSync(`${top}/node_modules/.bin`, { recursive: true });
	for (const name of ["@hono", "hono", "swagger-ui-dist", "wrangler", "zod"])
		fs.symlinkSync(resolve("node_modules", name), `${top}/node_modules/${name}`);
	fs.mkdirSync(`${top}/store`);
	for (let id = 0; id < 250; id++)
		fs.writeFileSync(`${top}/store/${id}`, JSON.stringify({ name: `${id}`.padEnd(11_000) }));
	// In bin is a global Wrangler, which no script may run.
	const PATH = `${folder}/bin:${top}/scripts:${dirname(process.execPath)}:${process.env.PATH}`;
	// The variables of the developer stay out.
	const options = { cwd: `${top}/src`, env: { HOME: folder, PATH, ...variables }, shell: "bash" };
	return promisify(exec)(`{ ${FUNCTIONS}\n${command}\n} 2>&1`, options)
		.then(({ stdout }) => `${stdout}0`, ({ stdout, code }) => `${stdout}${code}`);
}

/** Runs the command of each row, and expects its output with its status at the end. */
export const rows = (table: [title: string, command: string, output: RegExp][], wrangler?: string, variables?: object) =>
	it.each(table)("%s", async (_, command, output) => {
		expect(await run(command, wrangler, variables)).toMatch(output);
	});
