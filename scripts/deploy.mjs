// Deploys a commit: the one that is checked out. Its hash becomes the tag of the version.
// Usage: npm run deploy [-- OPTIONS of wrangler deploy]
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// What is uploaded, and what it is built from.
const FILES = "src public tsconfig.json wrangler.toml package-lock.json";

let tag = "";
try {
	/** @param {string} command */
	const git = (command) =>
		execFileSync("git", command.split(" "), {
			encoding: "utf8",
			stdio: "pipe",
		}).trimEnd();
	tag = git("rev-parse --short HEAD");
	const changes = git(`status --porcelain --untracked-files ${FILES}`);
	if (changes) throw new Error(`These are not in ${tag}:\n${changes}`);
} catch (error) {
	const advice = "Commit first, or put changes aside: git stash -u";
	console.error(`${error}\nNothing is deployed. ${advice}`);
	process.exit(1);
}

// Not its bin, which exits with 0 when a signal ends Wrangler.
const wrangler = fileURLToPath(import.meta.resolve("wrangler"));
// Without src/index.ts, Wrangler would take the next argument for the code of the Worker: that is the
// file of npm run deploy --secrets-file <file>, since npm keeps the option.
const args = ["deploy", "src/index.ts", "--config=wrangler.toml", "--tag", tag];
const command = ["--no-warnings", wrangler, ...args, ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, command, { stdio: "inherit" });
process.exit(status ?? 1);
