import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

const DEPLOY = ["npm", "run", "deploy", "--", "--x"];
const FILES =
	"src/index.ts src/backup.ts public/index.html tsconfig.json wrangler.toml package.json package-lock.json";

const USE_A_CLONE = /\nNothing is deployed. Only a commit .+ use a clone.$/;

/** A checkout whose Wrangler prints its arguments, then runs this code. */
function newRepository(code: string) {
	const checkout = newCheckout();
	const text = `console.log(...process.argv.slice(2)); ${code}`;
	checkout.write("node_modules/wrangler/index.js", text);
	const { dependencies } = JSON.parse(checkout.read("package.json"));
	/** Installs the packages that are bundled, and these of other versions. */
	function install(others = {}) {
		const versions = { ...dependencies, ...others };
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
	const args = deployed.output.split("\n").at(-1);
	expect(args).toMatch(
		/^deploy src\/index.ts .*--config[= ]wrangler.toml .*--x$/,
	);
	expect(args).toMatch(new RegExp(`--tag[= ]${hash} `));
	expect(deployed.status).toBe(7);
	expect(ls("public")).toContain("swagger-ui.css");
});

it("deploys nothing of an archive in another repository that ignores it", async () => {
	const { git, commit, fail, write } = newRepository("");
	await git("init", "--quiet");
	write(".gitignore", "*\n!/note.txt\n");
	write("note.txt", "This is the other repository.");
	await commit();
	const output = await fail(...DEPLOY);
	expect(output).toMatch(USE_A_CLONE);
});

it("deploys no other version of a package than that of the commit", async () => {
	const { git, commit, install, fail, succeed } = newRepository("");
	await git("init", "--quiet");
	await commit();
	install({ hono: "0.0.1" });
	const output = await fail("npm", "run", "-s", "deploy");
	expect(output).toContain("hono@0.0.1");
	expect(output).toMatch(/\nNothing is deployed. Run npm ci.+$/);
	// Only what is bundled counts.
	install({ vitest: "0.0.1", other: "1.0.0" });
	await succeed(...DEPLOY);
});

it("fails when a signal ends Wrangler", async () => {
	const { git, commit, fail } = newRepository(
		"process.kill(process.pid, 'SIGKILL')",
	);
	await git("init", "--quiet");
	await commit();
	expect(await fail(...DEPLOY)).toMatch(/deploy src\/index.ts .+ --x$/);
});
