import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { newCheckout } from "./checkout.ts";

const PREPARE = [process.execPath, "scripts/prepare.mjs"];

it("copies .dev.vars.example once", async () => {
	const { succeed, read, write } = newCheckout();
	await succeed(...PREPARE);
	expect(read(".dev.vars")).toBe(read(".dev.vars.example"));
	write(".dev.vars", "ACCESS_TOKEN=mine\n");
	await succeed(...PREPARE);
	expect(read(".dev.vars")).toBe("ACCESS_TOKEN=mine\n");
});

it("writes Swagger UI only when it has changed, since a running server reloads", async () => {
	const { succeed, read, write, top } = newCheckout();
	write("public/swagger-ui.css", "old");
	await succeed(...PREPARE);
	const css = read("public/swagger-ui.css");
	expect(css).not.toBe("old");
	const { mtimeMs } = fs.statSync(`${top}/public/swagger-ui.css`);
	expect(await succeed(...PREPARE)).toBe("");
	expect(fs.statSync(`${top}/public/swagger-ui.css`).mtimeMs).toBe(mtimeMs);
});

it("says how to install the packages, and ends npm test, when they are missing", async () => {
	const { top, fail } = newCheckout();
	// Outside of this checkout, which has packages.
	const folder = fs.mkdtempSync(join(tmpdir(), "plants-"));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	fs.cpSync(top, folder, { recursive: true });
	const output = await fail("npm", "--prefix", folder, "test");
	expect(output).toMatch(/\n.*swagger-ui-dist is missing. Run npm ci.+$/);
	expect(output).not.toContain("ERR_MODULE_NOT_FOUND");
});

it("shows why it cannot write a file", async () => {
	const { top, fail, write } = newCheckout();
	fs.rmSync(`${top}/public/swagger-ui.css`, { force: true });
	write("public/swagger-ui.css/x", "A folder has this name.");
	expect(await fail(...PREPARE)).toContain("EISDIR");
});
