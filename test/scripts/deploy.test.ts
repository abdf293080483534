import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

const DEPLOY = ["npm", "run", "deploy", "--", "--x"];
const FILES =
	"src/index.ts src/new.ts public/index.html tsconfig.json wrangler.toml package-lock.json";

it("deploys a commit, with its hash as the tag, and nothing else", async () => {
	const { start, fail, succeed, write } = newCheckout();
	const wrangler = "console.log(...process.argv.slice(2)); process.exit(7)";
	write("node_modules/wrangler/index.js", wrangler);
	const user = ["-c", "user.name=x", "-c", "user.email=x"];
	const git = (...args: string[]) => succeed("git", ...user, ...args);
	const refusal = /\nNothing is deployed. Commit first,.+$/;
	const output = await fail(...DEPLOY);
	expect(output).toContain("fatal: not a git repository");
	expect(output).toMatch(refusal);
	await git("init", "--quiet");
	expect(await fail(...DEPLOY)).toMatch(refusal);
	await git("add", ".");
	await git("commit", "--quiet", "--message=x");

	// A developer may have this setting.
	await git("config", "status.showUntrackedFiles", "no");
	for (const file of FILES.split(" ")) {
		write(file, "changed");
		const status = await git("status", "--porcelain", "-uall");
		const output = await fail(...DEPLOY);
		expect(output).toContain(file);
		expect(output).toMatch(refusal);
		expect(await git("status", "--porcelain", "-uall")).toBe(status);
		await git("stash", "--include-untracked");
	}

	write("note.txt", "This is not in the Worker.");
	const hash = await git("rev-parse", "--short", "HEAD");
	const deployed = await start(...DEPLOY).ended;
	const args = `deploy src/index.ts --config=wrangler.toml --tag ${hash} --x`;
	expect(deployed.output.split("\n").at(-1)).toBe(args);
	expect(deployed.status).toBe(7);
});
