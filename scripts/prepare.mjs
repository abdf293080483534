// Prepares a checkout. npm ci, npm run dev, npm test and npm run deploy run it.
// Usage: npm run prepare
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { INSTALL } from "./advice.mjs";

/**
 * Returns the path of a file of Swagger UI.
 * @param {string} file
 */
function findSource(file) {
	try {
		// In a workspace, the package may be in node_modules of a folder above.
		return fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`));
	} catch (error) {
		if (Object(error).code !== "ERR_MODULE_NOT_FOUND") throw error;
		console.error(`The package swagger-ui-dist is missing. ${INSTALL}`);
		process.exit(1);
	}
}

if (!fs.existsSync(".dev.vars")) {
	fs.copyFileSync(".dev.vars.example", ".dev.vars");
	console.log("Wrote .dev.vars");
}
for (const end of [".css", "-bundle.js", "-bundle.js.LICENSE.txt"]) {
	const file = `swagger-ui${end}`;
	const bytes = fs.readFileSync(findSource(file));
	const copy = `public/${file}`;
	// A file that is written restarts a running wrangler dev.
	if (fs.existsSync(copy) && bytes.equals(fs.readFileSync(copy))) continue;
	fs.writeFileSync(copy, bytes);
	console.log(`Wrote ${copy}`);
}
