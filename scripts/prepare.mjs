// Prepares a checkout. npm ci, npm run dev, npm test and npm run deploy run it.
// Usage: npm run prepare
import { execFileSync, execSync } from "node:child_process";
import fs from "node:fs";
import { fileURLToPath } from "node:url";

const OLDEST = "22.12"; // Vitest needs it, and Wrangler needs 22.
const { node: own } = process.versions;
const binary = process.platform === "win32" ? "node.exe" : "node";
const installed = `node_modules/.bin/${binary}`;

/** @param {string} node */
const versionOf = (node) => `${execFileSync(node, ["--version"])}`.trim();

/** Installs a Node into the folder that npm puts first in the PATH of npm run and npx. */
function installNode() {
	const cwd = "scripts/node";
	try {
		if (!/^20\.(19|2\d)\./.test(own)) {
			throw new Error(`On Node ${own}, npm leaves out a part of Vitest.`);
		}
		// A delay of the user's npm would refuse it. The hash pins it.
		execSync("npm ci --min-release-age=0", { cwd, stdio: "pipe" });
		const names = fs.readdirSync(`${cwd}/node_modules`);
		const name = names.find((name) => name.startsWith("node-"));
		// npm goes on without an optional package.
		if (!name) throw new Error(`npm got no Node with a hash of ${cwd}.`);
		const node = `${cwd}/node_modules/${name}/bin/${binary}`;
		versionOf(node); // Fails if it does not run.
		fs.mkdirSync("node_modules/.bin", { recursive: true });
		fs.copyFileSync(node, installed);
		fs.rmSync(`${cwd}/node_modules`, { recursive: true });
	} catch (error) {
		console.error(`${error}\nInstall Node ${OLDEST} or newer.`);
		process.exit(1);
	}
}

if (own.localeCompare(OLDEST, "en", { numeric: true }) < 0) installNode();
fs.cpSync(".dev.vars.example", ".dev.vars", { force: false });
for (const end of [".css", "-bundle.js", "-bundle.js.LICENSE.txt"]) {
	const file = `swagger-ui${end}`;
	// In a workspace, the package may be in node_modules of a folder above.
	const source = import.meta.resolve(`swagger-ui-dist/${file}`);
	const bytes = fs.readFileSync(fileURLToPath(source));
	const copy = `public/${file}`;
	// A file that is written restarts a running wrangler dev.
	if (fs.existsSync(copy) && bytes.equals(fs.readFileSync(copy))) continue;
	fs.writeFileSync(copy, bytes);
}
const hint =
	"It is of an npm package, node-…: nodejs.org's binary packed by one person. For deploys, use a Node of your own. In an incident, it may be used.";
const node = fs.existsSync(installed)
	? `${versionOf(installed)} in node_modules/.bin. ${hint}`
	: `${own}.`;
console.log(`The checkout is ready. npm run and npx use Node ${node}`);
