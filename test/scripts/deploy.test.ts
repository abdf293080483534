import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

it("deploys src/index.ts with the commit as the tag, and nothing without git", async () => {
	const { succeed, fail, write } = newCheckout();
	write("node_modules/.bin/wrangler", '#!/bin/sh\necho "$@"\n', 0o755);
	const deploy = ["npm", "run", "--silent", "deploy"];
	expect(await fail(...deploy)).toMatch(/^fatal: not a git repository/);
	const git = ["git", "-c", "user.name=x", "-c", "user.email=x"];
	await succeed(...git, "init", "--quiet");
	await succeed(...git, "add", ".");
	await succeed(...git, "commit", "--quiet", "--message=x");
	const commit = await succeed(...git, "rev-parse", "--short", "HEAD");

	// Without src/index.ts, Wrangler would take the next argument for the code of the Worker: that is
	// the file of npm run deploy --secrets-file <file>, since npm keeps the option.
	const args = "deploy src/index.ts --config wrangler.toml --tag";
	expect(await succeed(...deploy)).toContain(`\n${args} ${commit}`);
	write("src/index.ts", "");
	expect(await succeed(...deploy)).toContain(`\n${args} ${commit}-dirty`);
});
