// What prepare.mjs and deploy.mjs say when a package is missing.
export const INSTALL =
	"Run npm ci, or npm install --no-save if the registry is away: npm ci first deletes what is there.";
