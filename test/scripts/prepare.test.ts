import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

const PREPARE = [process.execPath, "scripts/prepare.mjs"];
// With this option, Node cannot run TypeScript, as before 22.18.
const ON_OLD_NODE = PREPARE.toSpliced(1, 0, "--no-experimental-strip-types");

/** A checkout whose `npm` is a script for sh with these lines. */
function checkoutWithNpm(...lines: string[]) {
	const checkout = newCheckout();
	const log = `echo "$*" >> ${checkout.top}/npm.log`;
	const text = ["#!/bin/sh", log, ...lines].join("\n");
	checkout.write("node_modules/.bin/npm", text, 0o755);
	return checkout;
}

/** What npm ci does in scripts/node. */
const INSTALL_NODE = [
	"mkdir -p node_modules/node-x/bin",
	"printf '#!/bin/sh\necho v99.0.0' > node_modules/node-x/bin/node",
	"chmod +x node_modules/node-x/bin/node",
];

it("copies .dev.vars.example once", async () => {
	const { succeed, read, write } = newCheckout();
	await succeed(...PREPARE);
	expect(read(".dev.vars")).toBe(read(".dev.vars.example"));
	write(".dev.vars", "ACCESS_TOKEN=mine\n");
	await succeed(...PREPARE);
	expect(read(".dev.vars")).toBe("ACCESS_TOKEN=mine\n");
});

it("installs no Node when this one runs TypeScript", async () => {
	const { succeed, ls } = checkoutWithNpm();
	const output = await succeed(...PREPARE);
	expect(output).toContain("The checkout is ready.");
	expect(output).toContain(`Node ${process.version}.`);
	expect(ls()).not.toContain("npm.log");
});

it("installs a Node for npm run and npx when this one is too old", async () => {
	const { succeed, read, top } = checkoutWithNpm(...INSTALL_NODE);
	const output = await succeed(...ON_OLD_NODE);
	// Only npm ci compares the hashes of a lockfile that is not changed.
	expect(read("npm.log")).toBe("ci\n");
	expect(output).toContain("Node v99.0.0, now in node_modules/.bin");
	expect(await succeed(`${top}/node_modules/.bin/node`)).toBe("v99.0.0");
});

it.each([
	["npm fails", ["exit 1"]],
	["npm installs none, as with another hash", ["mkdir node_modules"]],
	[
		"it does not run",
		[...INSTALL_NODE, "echo x > node_modules/node-x/bin/node"],
	],
])("fails when %s", async (_, lines) => {
	const { fail, ls } = checkoutWithNpm(...lines);
	expect(await fail(...ON_OLD_NODE)).toMatch(/Install Node 22.18 or newer.$/);
	expect(ls()).not.toContain(".dev.vars");
	expect(ls("node_modules/.bin")).toEqual(["npm"]);
});
