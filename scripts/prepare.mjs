// Prepares a checkout. npm runs it as the scripts prepare and dependencies.
// Usage: node scripts/prepare.mjs
import { execSync } from "node:child_process";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
// npm runs this with the Node of the packages node-*, and names the installed one here.
// Other package managers name a Node that may not run the scripts.
const { npm_config_user_agent = `npm/ node/${process.version}` } = process.env;
const version = Number(/^npm\/.*node\/v(\d+)/.exec(npm_config_user_agent)?.[1]);
if (version >= 24) {
	for (const end of ["", ".cmd", ".ps1"])
		rmSync(`node_modules/.bin/node${end}`, { force: true });
}
if (version < 24) execSync("npm rebuild --ignore-scripts"); // npm 10 deletes the link.
if (!existsSync(".dev.vars")) copyFileSync(".dev.vars.example", ".dev.vars");
for (const end of [".css", "-bundle.js", "-bundle.js.LICENSE.txt"]) {
	const file = `swagger-ui${end}`;
	copyFileSync(`node_modules/swagger-ui-dist/${file}`, `public/${file}`);
}
console.log("scripts/prepare.mjs: The checkout is ready.");
