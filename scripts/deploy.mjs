// Deploys a commit: the one that is checked out. Its hash becomes the tag of the version, and the first line of
// its message the message.
// Usage: npm run deploy [-- OPTIONS of wrangler deploy]
import { execSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { INSTALL } from "./advice.mjs";

// What is uploaded, and what it is built from.
const FILES =
	"src public tsconfig.json wrangler.toml package.json package-lock.json";

/** @param {string} command */
const run = (command) =>
	execSync(command, { encoding: "utf8", stdio: "pipe" }).trimEnd();

let tag = "";
let message = "";
// Git's message stands above it: it may not trust the owner, or find no commit.
let advice = "Only a commit is deployed: do what git says, or use a clone.";
try {
	// Without a length, core.abbrev of a developer could make it ambiguous.
	tag = run("git rev-parse --short=12 HEAD");
	// Without the options, settings of a developer could add a signature, or change the encoding.
	message = run("git log -1 --no-show-signature --encoding=UTF-8 --format=%s");
	// In an archive that a different repository ignores, git status lists nothing.
	if (!run("git ls-tree HEAD wrangler.toml")) {
		throw new Error(
			`${tag} is a commit of a different repository, without wrangler.toml.`,
		);
	}
	advice =
		"Commit first, but no secret. To deploy without these, use a clean clone.";
	const changes = run(`git status --porcelain --untracked-files ${FILES}`);
	if (changes) throw new Error(`These are not in ${tag}:\n${changes}`);
	advice = INSTALL;
	// devDependencies, too: Swagger UI is uploaded, and Wrangler builds. .npmrc includes them, too, but npm
	// ignores the .npmrc of a member of a workspace.
	run("npm ls --depth=0 --include=dev --loglevel=error --no-update-notifier");
} catch (error) {
	console.error(`${error}\nNothing is deployed. ${advice}`);
	process.exit(1);
}

// Not its bin, which exits with 0 when a signal ends Wrangler.
const wrangler = fileURLToPath(import.meta.resolve("wrangler"));
// Without src/index.ts, Wrangler would take the next argument for the code of the Worker: that is the
// file of npm run deploy --secrets-file <file>, since npm keeps the option.
const args = ["deploy", "src/index.ts", "--config=wrangler.toml", "--tag", tag];
const options = process.argv.slice(2);
// Wrangler refuses a second --message.
if (!options.some((option) => /^--message\b/.test(option))) {
	// As one argument, since the message may start with a dash. Its first line may be longer than an argument.
	args.push(`--message=${message.slice(0, 200)}`);
}
const command = ["--no-warnings", wrangler, ...args, ...options];
const { status, error } = spawnSync(process.execPath, command, {
	stdio: "inherit",
});
if (error) console.error(`${error}\nNothing is deployed.`);
process.exit(status ?? 1);
