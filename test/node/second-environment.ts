import fs from "node:fs";

/** What matters in a wrangler.toml with one environment, after the first deploy. */
export const ONE_ENVIRONMENT = `name = "plants"
account_id = "1"
compatibility_date = "2026-10-27"
preview_urls = false

[secrets]
required = [ "ACCESS_TOKEN" ]

[[kv_namespaces]]
binding = "PLANTS"
id = "of-plants"

[observability]
enabled = true

[env]
`;

const page = fs.readFileSync("docs/operations.md", "utf8");
const [, tables = ""] =
	/```toml\n(\s*\[env\.production\][^`]*)```/.exec(page) ?? [];

/** The same, changed as *A second environment* of docs/operations.md says. */
export const TWO_ENVIRONMENTS =
	ONE_ENVIRONMENT.replace(/name = .*\n/, "")
		.replace(/\nid = .*/, "")
		.replace("[env]\n", "") +
	tables
		.replace(/^ +/gm, "")
		.replace('id = ""', 'id = "of-plants"')
		.trimStart();
