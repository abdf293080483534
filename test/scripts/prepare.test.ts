import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";

const PREPARE = [process.execPath, "scripts/prepare.mjs"];

/** As if this Node had another version. */
function onNode(version: string) {
	const code = `process,"versions",{value:{node:"${version}"}}`;
	const url = `data:text/javascript,Object.defineProperty(${code})`;
	return PREPARE.toSpliced(1, 0, `--import=${url}`);
}

/** A checkout whose `npm` is a script for sh with these lines. */
function checkoutWithNpm(...lines: string[]) {
	const checkout = newCheckout();
	const log = `echo "$*" >> "${checkout.top}/npm.log"`;
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

it.each(["22.12.0", "24.0.0", "100.0.0"])(
	"installs no Node when this one is %s",
	async (version) => {
		const { succeed, ls } = checkoutWithNpm();
		const output = await succeed(...onNode(version));
		expect(output).toContain("The checkout is ready.");
		expect(output).toContain(`Node ${version}.`);
		expect(ls()).not.toContain("npm.log");
	},
);

it("installs a Node for npm run and npx when this one is 20.19.0", async () => {
	const { succeed, read, top } = checkoutWithNpm(...INSTALL_NODE);
	const output = await succeed(...onNode("20.19.0"));
	expect(await succeed(`${top}/node_modules/.bin/node`)).toBe("v99.0.0");
	// The second time, npm runs this script with that Node.
	for (const text of [output, await succeed(...onNode("99.0.0"))]) {
		expect(text).toMatch(
			/Node v99.0.0 in node_modules\/.bin\. .+\bdeploys\b.+$/,
		);
	}
	// Only npm ci compares the hashes of a lockfile that is not changed. Other flags may stand behind it.
	expect(read("npm.log")).toMatch(/^ci\b.* --min-release-age=0\b.*\n$/);
});

it.each([
	// The engines of rolldown, which is optional.
	["22.11.0", "npm leaves out a part of Vitest", INSTALL_NODE],
	["20.19.0", "npm fails", ["exit 1"]],
	["20.19.0", "npm installs none, for its hash", ["mkdir node_modules"]],
	["20.19.0", "it does not run", INSTALL_NODE.slice(0, 2)],
])("fails on Node %s when %s", async (version, _, lines) => {
	const { fail, ls } = checkoutWithNpm(...lines);
	expect(await fail(...onNode(version))).toMatch(
		/Install Node 22.12 or newer.$/,
	);
	expect(ls()).not.toContain(".dev.vars");
	expect(ls("node_modules/.bin")).toEqual(["npm"]);
});
