// Prepares a checkout. npm ci, npm run dev, npm test and npm run deploy run it.
// Usage: npm run prepare
import fs from "node:fs";
import { fileURLToPath } from "node:url";

if (!fs.existsSync(".dev.vars")) {
	fs.copyFileSync(".dev.vars.example", ".dev.vars");
	console.log("Wrote .dev.vars");
}
for (const end of [".css", "-bundle.js", "-bundle.js.LICENSE.txt"]) {
	const file = `swagger-ui${end}`;
	// In a workspace, the package may be in node_modules of a folder above.
	const source = import.meta.resolve(`swagger-ui-dist/${file}`);
	const bytes = fs.readFileSync(fileURLToPath(source));
	const copy = `public/${file}`;
	// A file that is written restarts a running wrangler dev.
	if (fs.existsSync(copy) && bytes.equals(fs.readFileSync(copy))) continue;
	fs.writeFileSync(copy, bytes);
	console.log(`Wrote ${copy}`);
}
