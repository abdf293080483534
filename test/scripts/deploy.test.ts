import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";
import { serve } from "./server.ts";

it("deploys src/index.ts with the commit as the tag", async () => {
	const { top, succeed, write } = newCheckout();
	const git = ["git", "-c", "user.name=x", "-c", "user.email=x"];
	await succeed(...git, "init", "--quiet");
	await succeed(...git, "add", ".");
	await succeed(...git, "commit", "--quiet", "--message=x");
	const commit = await succeed(...git, "rev-parse", "--short", "HEAD");
	write("node_modules/.bin/wrangler", '#!/bin/sh\necho "$@"\n');
	fs.chmodSync(`${top}/node_modules/.bin/wrangler`, 0o755);

	const deploy = ["npm", "run", "--silent", "deploy"];
	const args = "deploy src/index.ts --config wrangler.toml --tag";
	expect(await succeed(...deploy)).toBe(`${args} ${commit}`);
	write("src/index.ts", "");
	expect(await succeed(...deploy)).toBe(`${args} ${commit}-dirty`);
});

// Without -- before the option, npm keeps --secrets-file, and passes the name of the file. Without
// src/index.ts in the script, Wrangler uploads this file as the code of the Worker.
it("does not deploy a file of secrets as the code", async () => {
	const requests: string[] = [];
	const api = serve(({ method, url }, res) => {
		requests.push(`${method} ${url}`);
		res.end();
	});
	const { top, fail, write } = newCheckout({
		CLOUDFLARE_API_BASE_URL: api,
		CLOUDFLARE_ACCOUNT_ID: "x",
		CLOUDFLARE_API_TOKEN: "x",
	});
	write("secrets.json", "{}");
	fs.symlinkSync(
		"../wrangler/bin/wrangler.js",
		`${top}/node_modules/.bin/wrangler`,
	);
	const line = "npm run deploy --secrets-file secrets.json";
	const output = await fail(...line.split(" "));
	expect(output).toContain("Unknown argument: secrets.json");
	expect(requests).toEqual([]);
});
