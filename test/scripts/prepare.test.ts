import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

const PREPARE = [process.execPath, "scripts/prepare.mjs"];
// With this option, Node cannot run TypeScript, as before 22.18.
const PREPARE_ON_OLD_NODE = PREPARE.toSpliced(
	1,
	0,
	"--no-experimental-strip-types",
);

/** A checkout whose npm writes its arguments to npm.log, and exits with this status. */
function checkoutWithNpm(status: number) {
	const checkout = newCheckout({
		PATH: `node_modules/.bin:${process.env.PATH}`,
	});
	const npm = "node_modules/.bin/npm";
	checkout.write(npm, `#!/bin/sh\necho "$*" >> npm.log\nexit ${status}\n`);
	fs.chmodSync(`${checkout.top}/${npm}`, 0o755);
	return checkout;
}

it("copies .dev.vars.example once", async () => {
	const { succeed, read, write } = checkoutWithNpm(0);
	await succeed(...PREPARE);
	expect(read(".dev.vars")).toBe(read(".dev.vars.example"));
	write(".dev.vars", "ACCESS_TOKEN=mine\n");
	await succeed(...PREPARE);
	expect(read(".dev.vars")).toBe("ACCESS_TOKEN=mine\n");
});

it("installs no Node when this one runs TypeScript", async () => {
	const { succeed, ls } = checkoutWithNpm(0);
	const output = await succeed(...PREPARE);
	expect(output).toContain(`The checkout is ready`);
	expect(output).toContain(`Node ${process.version}.`);
	expect(ls()).not.toContain("npm.log");
});

it("installs a Node of one exact version when this one is too old", async () => {
	const { succeed, read } = checkoutWithNpm(0);
	const output = await succeed(...PREPARE_ON_OLD_NODE);
	const [, version] =
		/^install --no-save --ignore-scripts node-\S*@(\d+\.\d+\.\d+)\n$/.exec(
			read("npm.log"),
		) ?? [];
	expect(output).toContain(`npm's Node ${version}.`);
});

it("fails when the Node cannot be installed", async () => {
	const { fail, ls } = checkoutWithNpm(1);
	expect(await fail(...PREPARE_ON_OLD_NODE)).toContain(
		"Install Node 22.18 or newer.",
	);
	expect(ls()).not.toContain(".dev.vars");
});
