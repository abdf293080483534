import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

const PREPARE = [process.execPath, "scripts/prepare.mjs"];

/** A checkout in which npm names itself and the installed Node like this. */
const checkoutFor = (agent: string) =>
	newCheckout({ npm_config_user_agent: agent });

it("copies .dev.vars.example once", async () => {
	const { succeed, read, write } = checkoutFor("npm/9 node/v24");
	await succeed(...PREPARE);
	expect(read(".dev.vars")).toBe(read(".dev.vars.example"));
	write(".dev.vars", "ACCESS_TOKEN=mine\n");
	expect(await succeed(...PREPARE)).toBe(
		"scripts/prepare.mjs: The checkout is ready.",
	);
	expect(read(".dev.vars")).toBe("ACCESS_TOKEN=mine\n");
});

it.each([
	["npm/9 node/v24", []],
	["bun/1 npm/? node/v24", ["node"]],
])(
	"with the user agent %j, leaves these links to Node: %j",
	async (agent, links) => {
		const { succeed, ls, write } = checkoutFor(agent);
		write("node_modules/.bin/node", "");
		await succeed(...PREPARE);
		expect(ls("node_modules/.bin")).toEqual(links);
	},
);

it.each(["v20", "v23"])(
	"restores the link to Node for npm 10 on Node %s",
	async (version) => {
		const { top, succeed, write } = checkoutFor(`npm/10 node/${version}`);
		const manifest = { name: "x", version: "1.0.0", bin: { node: "bin/node" } };
		fs.mkdirSync(`${top}/node_modules/x/bin`, { recursive: true });
		write("node_modules/x/package.json", JSON.stringify(manifest));
		write("node_modules/x/bin/node", "#!/bin/sh\necho ours\n");
		await succeed(...PREPARE);
		expect(await succeed("node_modules/.bin/node")).toBe("ours");
	},
);
