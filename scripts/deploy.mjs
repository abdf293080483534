// Deploys a commit: the one that is checked out. Its hash becomes the tag of the version.
// Usage: npm run deploy [-- OPTIONS of wrangler deploy]
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// What is uploaded, and what it is built from.
const FILES = "src public tsconfig.json wrangler.toml package-lock.json";

let tag = "";
let advice = "Commit first, or put changes aside: git stash -u";
try {
	/** @param {string} command */
	const git = (command) =>
		execFileSync("git", command.split(" "), {
			encoding: "utf8",
			stdio: "pipe",
		}).trimEnd();
	tag = git("rev-parse --short HEAD");
	// In an archive that another repository ignores, git status lists nothing.
	if (!git("ls-tree HEAD wrangler.toml")) {
		advice = "The repository around this folder does not have it: use a clone.";
		throw new Error(`wrangler.toml is not in ${tag}.`);
	}
	const changes = git(`status --porcelain --untracked-files ${FILES}`);
	if (changes) throw new Error(`These are not in ${tag}:\n${changes}`);
} catch (error) {
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
