import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

it("deploys src/index.ts with the commit as the tag, and nothing without git", async () => {
	const { start, succeed, write } = newCheckout();
	write("node_modules/.bin/wrangler", '#!/bin/sh\necho "$@"\n', 0o755);
	const deploy = ["npm", "run", "deploy"] as const;
	const { status, output } = await start(...deploy).ended;
	expect(status).not.toBe(0);
	expect(output).toContain("fatal: not a git repository");
	expect(output).not.toContain("--tag");
	const git = ["git", "-c", "user.name=x", "-c", "user.email=x"];
	await succeed(...git, "init", "--quiet");
	await succeed(...git, "add", ".");
	await succeed(...git, "commit", "--quiet", "--message=x");
	const commit = await succeed(...git, "rev-parse", "--short", "HEAD");

	// Without src/index.ts, Wrangler would take the next argument for the code of the Worker: that is
	// the file of npm run deploy --secrets-file <file>, since npm keeps the option.
	const args = "deploy src/index.ts --config wrangler.toml --tag";
	const lastLine = async () => (await succeed(...deploy)).split("\n").at(-1);
	expect(await lastLine()).toBe(`${args} ${commit}`);
	// commit --all does not add a new file, and the commit cannot be deployed without it.
	write("src/new.ts", "");
	expect(await lastLine()).toBe(`${args} ${commit}-dirty`);
	await succeed(...git, "commit", "--quiet", "--all", "--message=y");
	const clean = await succeed("git", "rev-parse", "--short", "HEAD");
	expect(await succeed("git", "show", "--stat")).toContain("src/new.ts");
	expect(await lastLine()).toBe(`${args} ${clean}`);
	write("src/index.ts", "");
	expect(await lastLine()).toBe(`${args} ${clean}-dirty`);
});
