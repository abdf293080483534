import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

const DEPLOY = ["npm", "run", "deploy", "--", "--x"];
const FILES =
	"src/index.ts src/secret-names.json public/index.html tsconfig.json wrangler.toml package.json package-lock.json";

const USE_A_CLONE = /\nNothing is deployed. Only a commit .+ use a clone.$/;

/** A checkout whose Wrangler prints its arguments, then runs this code. */
function newRepository(code: string) {
	const checkout = newCheckout();
	const text = `console.log(...process.argv.slice(2)); ${code}`;
	checkout.write("node_modules/wrangler/index.js", text);
	for (const end of [".css", "-bundle.js", "-bundle.js.LICENSE.txt"]) {
		checkout.write(`node_modules/swagger-ui-dist/swagger-ui${end}`, "");
	}
	const { dependencies, devDependencies } = JSON.parse(
		checkout.read("package.json"),
	);
	/** Installs the packages of package.json, and these of other versions. */
	function install(others = {}) {
		const versions = { ...dependencies, ...devDependencies, ...others };
		for (const [name, version] of Object.entries(versions)) {
			const text = JSON.stringify({ name, version });
			checkout.write(`node_modules/${name}/package.json`, text);
		}
	}
	install();
	const user = ["-c", "user.name=x", "-c", "user.email=x"];
	const git = (...args: string[]) => checkout.succeed("git", ...user, ...args);
	async function commit() {
		await git("add", ".");
		await git("commit", "--quiet", "--message=x");
	}
	return { git, commit, install, ...checkout };
}

it("deploys a commit, with its hash as the tag, and nothing else", async () => {
	const { top, git, commit, start, fail, ls, write } =
		newRepository("process.exit(7)");
	// npm ci without scripts leaves it out.
	fs.rmSync(`${top}/public/swagger-ui.css`, { force: true });
	const refusal = /\nNothing is deployed. Commit first. .+$/;
	const output = await fail(...DEPLOY);
	expect(output).toContain("fatal: not a git repository");
	expect(output).toMatch(USE_A_CLONE);
	await git("init", "--quiet");
	expect(await fail(...DEPLOY)).toMatch(USE_A_CLONE);
	await commit();

	// A developer may have this setting.
	await git("config", "status.showUntrackedFiles", "no");
	for (const file of FILES.split(" ")) {
		fs.appendFileSync(`${top}/${file}`, "\n");
		const status = await git("status", "--porcelain", "-uall");
		const output = await fail(...DEPLOY);
		expect(output).toContain(file);
		expect(output).toMatch(refusal);
		expect(await git("status", "--porcelain", "-uall")).toBe(status);
		await git("stash", "--include-untracked");
	}

	write("note.txt", "This is not in the Worker.");
	// A developer may have this setting, too.
	await git("config", "core.abbrev", "4");
	const hash = (await git("rev-parse", "HEAD")).slice(0, 12);
	const deployed = await start(...DEPLOY).ended;
	const args = ` ${deployed.output.split("\n").at(-1)} `;
	expect(args).toContain(" deploy ");
	expect(args).toMatch(/ src\/index.ts .*--x $/);
	expect(args).toMatch(/ --config[= ]wrangler.toml /);
	expect(args).toMatch(new RegExp(` --tag[= ]${hash} `));
	expect(deployed.status).toBe(7);
	expect(ls("public")).toContain("swagger-ui.css");
});

/** The arguments from --message on, as the stub of Wrangler prints them. */
const messages = (output: string) =>
	output
		.split("\n")
		.at(-1)
		?.match(/--message.*? --x/g);

/** What git runs to sign a commit, and to verify it. */
const SIGN = `#!/bin/sh
cat >/dev/null
echo '-----BEGIN PGP SIGNATURE-----'
echo '
[GNUPG:] SIG_CREATED ' >&2
`;

it.each([
	["quotes and umlauts", `Limit "height" to 'ü' $HOME \`id\``],
	["a dash", "-x --tag=y"],
	["140,000 characters", "x".repeat(140_000)],
	["no characters", ""],
])(
	"deploys a commit whose message has %s, as the message of the version",
	async (_, line) => {
		const { git, succeed, write } = newRepository("");
		await git("init", "--quiet");
		write("sign", SIGN, 0o755);
		await git("config", "gpg.program", "./sign");
		// A developer may have these settings.
		await git("config", "log.showSignature", "true");
		await git("config", "i18n.logOutputEncoding", "ISO-8859-1");
		await git("add", ".");
		write("message.txt", line && `${line}\n\nThis is not the first line.`);
		await git("commit", "-qS", "--allow-empty-message", "-F", "message.txt");
		expect(await git("log")).toContain("SIG_CREATED");
		const output = await succeed(...DEPLOY);
		expect(messages(output)).toEqual([`--message=${line.slice(0, 200)} --x`]);
	},
);

it("names the version as --message says", async () => {
	const { git, commit, succeed } = newRepository("");
	await git("init", "--quiet");
	await commit();
	for (const option of ["--message=mine", "--message mine"]) {
		const output = await succeed(
			"npm",
			"run",
			"deploy",
			"--",
			...option.split(" "),
			"--x",
		);
		expect(messages(output)).toEqual([`${option} --x`]);
	}
});

it("deploys nothing of an archive in a different repository that ignores it", async () => {
	const { git, commit, fail, write } = newRepository("");
	await git("init", "--quiet");
	write(".gitignore", "*\n!/note.txt\n");
	write("note.txt", "This is the other repository.");
	await commit();
	const output = await fail(...DEPLOY);
	expect(output).toMatch(USE_A_CLONE);
});

it.each(["hono", "swagger-ui-dist", "wrangler"])(
	"deploys no other version of %s than that of the commit",
	async (name) => {
		const { git, commit, install, fail, succeed } = newRepository("");
		await git("init", "--quiet");
		await commit();
		install({ [name]: "0.0.1" });
		const output = await fail("npm", "run", "-s", "deploy");
		expect(output).toContain(`${name}@0.0.1`);
		expect(output).toMatch(/\nNothing is deployed. Run npm ci.+$/);
		// A package that package.json does not name is not deployed.
		install({ other: "1.0.0" });
		await succeed(...DEPLOY);
	},
);

it("fails when a signal ends Wrangler", async () => {
	const { git, commit, fail } = newRepository(
		"process.kill(process.pid, 'SIGKILL')",
	);
	await git("init", "--quiet");
	await commit();
	expect(await fail(...DEPLOY)).toMatch(/ --x$/);
});
