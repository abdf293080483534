import fs from "node:fs";
import { expect, it } from "vitest";
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
