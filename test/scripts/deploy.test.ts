import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, STAND_IN } from "./checkout.ts";

/** Runs git without the configuration of the developer. */
function git(cwd: string, ...args: string[]) {
	const config = ["-c", "user.name=x", "-c", "user.email=x"];
	const env = { PATH: process.env.PATH, HOME: cwd };
	return execFileSync("git", [...config, ...args], {
		cwd,
		env,
		encoding: "utf8",
	});
}

/** Commits all files of a folder. Returns the short name of the commit. */
function commit(folder: string, ...options: string[]) {
	git(folder, "init", "--quiet");
	git(folder, "add", ".");
	git(folder, "commit", "--quiet", "--message=x", ...options);
	return git(folder, "rev-parse", "--short", "HEAD").trim();
}

const deployed = (tag: string) =>
	`scripts/deploy: Deployed the Worker shop with the tag ${tag}.`;

it("uses its wrangler.toml, whatever is around it", async () => {
	const { top, succeed } = newCheckout();
	const config = '{ "name": "shop", "main": "src/index.ts" }';
	fs.writeFileSync(`${top}/wrangler.json`, config);
	fs.writeFileSync(`${top}/../wrangler.jsonc`, config);
	const output = await succeed(
		"WRANGLER_CI_OVERRIDE_NAME=shop deploy --dry-run",
	);
	expect(output).toContain("env.PLANTS");
	expect(output).not.toContain("shop");
	expect(output).toMatch(
		/Nothing is deployed: a dry run with the tag no-git\.$/,
	);
});

it.each([
	[
		"takes --dry-run=true for a dry run",
		"deploy --dry-run=true",
		0,
		/Nothing is deployed: a dry run with the tag no-git\.$/,
	],
	[
		"fails for a word that is not an option",
		"deploy --dry-run src",
		1,
		/Unknown argument: src(.*\n)+.*Wrangler failed: .*$/,
	],
	[
		"fails for an unknown environment in .env",
		"echo CLOUDFLARE_ENV=x > ../.env && deploy",
		1,
		/No environment found .*"x"(.*\n)+.*Wrangler failed: .*$/,
	],
])("%s", async (_, command, status, output) => {
	const result = await newCheckout().run(command);
	const expected = { status, output: expect.stringMatching(output) };
	expect(result, command).toEqual(expected);
});

it("names the Worker and the commit, not a tag of git", async () => {
	const { top, run } = newCheckout(STAND_IN);
	const tag = commit(top);
	git(top, "tag", "--annotate", "--message=x", "v1");
	expect(await run("deploy")).toEqual({ output: deployed(tag), status: 0 });
	const calls = fs.readFileSync(`${top}/calls.log`, "utf8");
	expect(calls).toMatch(new RegExp(`^deploy .*--tag[ =]${tag}\n$`));
});

it("names a change that is not committed", async () => {
	const { top, run } = newCheckout(STAND_IN);
	const tag = commit(top);
	fs.appendFileSync(`${top}/src/index.ts`, "\n");
	const output = deployed(`${tag}-dirty`);
	expect(await run("deploy")).toEqual({ output, status: 0 });
});

it("names the commit of a worktree", async () => {
	const { top, run } = newCheckout(STAND_IN);
	const output = deployed(commit(top));
	git(top, "worktree", "add", "--quiet", "../tree");
	expect(await run("../../tree/scripts/deploy")).toEqual({ output, status: 0 });
});

it("deploys its checkout, whatever CDPATH is", async () => {
	const { top, run } = newCheckout(STAND_IN);
	const other = newCheckout(STAND_IN);
	commit(other.top);
	const command = `cd .. && CDPATH=${other.top} scripts/deploy`;
	expect(await run(command)).toEqual({ output: deployed("no-git"), status: 0 });
	expect(fs.existsSync(`${top}/calls.log`)).toBe(true);
});

it("names its commit, whatever GIT_DIR and GIT_INDEX_FILE are", async () => {
	const { top, run } = newCheckout(STAND_IN);
	const output = deployed(commit(top));
	const other = newCheckout(STAND_IN);
	fs.writeFileSync(`${other.top}/another-file`, "");
	commit(other.top);
	const command = `GIT_DIR=${other.top}/.git GIT_INDEX_FILE=x deploy`;
	expect(await run(command)).toEqual({ output, status: 0 });
});

it("does not take the commit of a repository above", async () => {
	const { top, run } = newCheckout(STAND_IN);
	commit(`${top}/..`);
	fs.mkdirSync(`${top}/.git`);
	const { output, status } = await run("deploy");
	expect(output).toMatch(/See the error of git above\. Nothing is deployed\.$/);
	expect(status).toBe(1);
	expect(fs.existsSync(`${top}/calls.log`)).toBe(false);
});

const UNKNOWN =
	"It may have deployed the tag no-git: see scripts/wrangler deployments status.";

it.each([
	[
		"fails when somebody declines a question",
		"DECLINED=1 deploy",
		1,
		/^scripts\/deploy: Nothing is deployed\.$/,
	],
	[
		"tells how to see what runs when Wrangler fails",
		"TAKEN=1 deploy",
		1,
		new RegExp(
			`The domain is taken\\.\n(.*\n)+.* Wrangler failed: .* ${UNKNOWN}$`,
		),
	],
	[
		"leaves no temporary file",
		"mkdir t && TMPDIR=$PWD/t deploy && rmdir t",
		0,
		/no-git\.$/,
	],
])("%s", async (_, command, status, output) => {
	const result = await newCheckout(STAND_IN).run(command);
	const expected = { status, output: expect.stringMatching(output) };
	expect(result, command).toEqual(expected);
});

it.each(["Ctrl-C", "SIGTERM"])("tells it after %s, too", async (signal) => {
	const { top, start } = newCheckout(STAND_IN);
	const deploy = start("WAIT=1 deploy");
	await deploy.writes(`${top}/waiting`);
	if (signal === "Ctrl-C") deploy.pressCtrlC();
	else deploy.kill("SIGTERM");
	// bash waits for Wrangler, which SIGTERM does not reach.
	fs.writeFileSync(`${top}/go`, "");
	const output = `scripts/deploy: Interrupted. ${UNKNOWN}`;
	expect(await deploy.ended).toEqual({ output, status: 1 });
});

it("does not start without a folder for temporary files", async () => {
	const { top, run } = newCheckout(STAND_IN);
	const { output, status } = await run("TMPDIR=/gone deploy");
	expect(output).toMatch(
		/See the error of mktemp above\. Nothing is deployed\.$/,
	);
	expect(status).toBe(1);
	expect(fs.existsSync(`${top}/calls.log`)).toBe(false);
});

it.each(["--version", "--v", "-v", "", "--secrets-file=", "--"])(
	"does not start with %j, with which Wrangler ignores options",
	async (option) => {
		const { top, run } = newCheckout(STAND_IN);
		const command = `deploy --message x "${option}" --secrets-file x`;
		const { output, status } = await run(command);
		expect(output, command).toMatch(
			/^scripts\/deploy: Remove '.*': .* Nothing is deployed\.$/,
		);
		expect(status, command).toBe(1);
		expect(fs.existsSync(`${top}/calls.log`)).toBe(false);
	},
);
