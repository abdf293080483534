import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, STAND_IN } from "./checkout.ts";

/** Runs git without the configuration of the developer. */
const git = (cwd: string, ...args: string[]) =>
	execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x", ...args], {
		cwd,
		env: { PATH: process.env.PATH, HOME: cwd },
		encoding: "utf8",
	});

/** Commits all files of a folder. Returns the short name of the commit. */
function commit(folder: string) {
	git(folder, "init", "--quiet");
	git(folder, "add", ".");
	git(folder, "commit", "--quiet", "--message=x");
	return git(folder, "rev-parse", "--short", "HEAD").trim();
}

const deployed = (tag: string) =>
	`scripts/deploy: Deployed the Worker shop with the tag ${tag}.`;

it("uses its wrangler.toml, whatever is around it", async () => {
	const { succeed, write } = newCheckout();
	const config = '{ "name": "shop", "main": "src/index.ts" }';
	write("wrangler.json", config);
	write("../wrangler.jsonc", config);
	const output = await succeed(
		"WRANGLER_CI_OVERRIDE_NAME=shop deploy --dry-run --name x",
	);
	expect(output).toContain("env.PLANTS");
	expect(output).not.toContain("shop");
});

it.each(["--dry-run", "--dry-run=true"])(
	"deploys nothing with %s",
	async (option) => {
		const command = `deploy ${option} --name x`;
		expect(await newCheckout().succeed(command)).toMatch(
			/: Nothing is deployed: a dry run of the Worker x with the tag no-git\.$/,
		);
	},
);

it.each([
	[
		"a word that is not an option",
		"deploy src",
		/argument: src(.*\n)+.* error above\. Nothing is deployed\.$/,
	],
	[
		"an unknown environment",
		"deploy --env x",
		/No environment found(.*\n)+.* error above\. Nothing is deployed\.$/,
	],
])("deploys nothing for %s", async (_, command, output) => {
	expect(await newCheckout().fail(command)).toMatch(output);
});

it("names the Worker and the commit, not a tag of git", async () => {
	const { top, succeed, read } = newCheckout(STAND_IN);
	const tag = commit(top);
	git(top, "tag", "--annotate", "--message=x", "v1");
	expect(await succeed("deploy")).toBe(deployed(tag));
	expect(read("calls.log")).toMatch(
		new RegExp(`^versions upload .*--dry-run\ndeploy .*--tag[ =]${tag}\n$`),
	);
});

it("names a change that is not committed", async () => {
	const { top, succeed, write } = newCheckout(STAND_IN);
	const tag = commit(top);
	write("src/index.ts", "");
	expect(await succeed("deploy")).toBe(deployed(`${tag}-dirty`));
});

it("names the commit of a worktree", async () => {
	const { top, succeed } = newCheckout(STAND_IN);
	commit(top);
	git(top, "worktree", "add", "--quiet", "../tree");
	fs.writeFileSync(`${top}/../tree/another-file`, "");
	const tag = commit(`${top}/../tree`);
	expect(await succeed("../../tree/scripts/deploy")).toBe(deployed(tag));
});

it("names its commit, whatever GIT_DIR and GIT_INDEX_FILE are", async () => {
	const { top, succeed } = newCheckout(STAND_IN);
	const tag = commit(top);
	const other = newCheckout(STAND_IN);
	other.write("another-file", "");
	commit(other.top);
	const command = `GIT_DIR=${other.top}/.git GIT_INDEX_FILE=x deploy`;
	expect(await succeed(command)).toBe(deployed(tag));
});

it("does not take the commit of a repository above", async () => {
	const { top, fail, ls } = newCheckout(STAND_IN);
	commit(`${top}/..`);
	fs.mkdirSync(`${top}/.git`);
	const output = await fail("deploy");
	expect(output).toMatch(/the error of git above\. Nothing is deployed\.$/);
	expect(ls()).not.toContain("calls.log");
});

it("does not start without a folder for temporary files", async () => {
	const { fail, ls } = newCheckout(STAND_IN);
	const output = await fail("TMPDIR=/gone deploy");
	expect(output).toMatch(/the error of mktemp above\. Nothing is deployed\.$/);
	expect(ls()).not.toContain("calls.log");
});

it("leaves no temporary file", async () => {
	const { succeed } = newCheckout(STAND_IN);
	await succeed("mkdir t && TMPDIR=$PWD/t deploy && rmdir t");
});

it("fails when somebody declines a question", async () => {
	// Only the output of Wrangler tells whether there is a version.
	const command = `DECLINED=1 deploy --message '"version_id":"1"'`;
	const output = await newCheckout(STAND_IN).fail(command);
	expect(output).toBe("scripts/deploy: Nothing is deployed.");
});

const UNKNOWN =
	"It may have deployed the tag no-git: see scripts/wrangler deployments status of this environment.";

it("tells how to see what runs when Wrangler names no Worker", async () => {
	const { fail, program } = newCheckout();
	program("scripts/wrangler", "true");
	const output = await fail("deploy");
	expect(output).toBe(`scripts/deploy: Wrangler names no Worker. ${UNKNOWN}`);
});

it("tells how to see what runs when Wrangler fails", async () => {
	const output = await newCheckout(STAND_IN).fail("TAKEN=1 deploy");
	expect(output).toContain("The domain is taken.");
	expect(output).toContain(`Wrangler failed: see its error above. ${UNKNOWN}`);
});

it.each([
	["the deploy", "command", "Ctrl-C", UNKNOWN],
	["the deploy", "command", "SIGTERM", UNKNOWN],
	["the dry run", "dry-run", "Ctrl-C", "Nothing is deployed."],
])(
	"tells what is known after an interruption of %s: WAIT=%s, %s",
	async (_, waits, signal, known) => {
		const { start, write } = newCheckout(STAND_IN);
		const deploy = start(`WAIT=${waits} deploy`);
		await deploy.writes("waiting");
		if (signal === "Ctrl-C") deploy.pressCtrlC();
		else deploy.kill("SIGTERM");
		// bash waits for Wrangler, which SIGTERM does not reach.
		write("go", "");
		const output = `scripts/deploy: Interrupted. ${known}`;
		expect(await deploy.ended).toEqual({ output, status: 1 });
	},
);

it.each(["--version", "--v", "-v", "--help", "", "--secrets-file=", "--"])(
	"does not start with %j, with which Wrangler ignores options",
	async (option) => {
		const { fail, ls } = newCheckout(STAND_IN);
		const command = `deploy --message x "${option}" --secrets-file x`;
		const output = await fail(command);
		expect(output).toMatch(/: Remove '.*': .* Nothing is deployed\.$/);
		expect(ls()).not.toContain("calls.log");
	},
);

it("deploys with a file of secrets", async () => {
	const { succeed, write } = newCheckout(STAND_IN);
	write("secrets.json", "{}");
	const file = "secrets.json --secrets-file=secrets.json";
	expect(await succeed(`deploy --secrets-file ${file}`)).toBe(
		deployed("no-git"),
	);
});

it.each([
	"--secrets-file <(echo)",
	"--secretsFile <(echo)",
	"--secrets-file=/dev/stdin",
	"--secretsFile=/dev/stdin",
	"--secrets-file gone",
])("does not start with secrets that are not in a file: %s", async (option) => {
	const { fail, ls } = newCheckout(STAND_IN);
	const output = await fail(`echo | deploy ${option}`);
	expect(output).toMatch(/: '.+' is not a file\. Nothing is deployed\.$/);
	expect(ls()).not.toContain("calls.log");
});
