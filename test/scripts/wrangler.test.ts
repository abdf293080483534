import { rows } from "./run.ts";

rows([
	["runs the installed Wrangler", "../scripts/wrangler --version", /^\d+\.\d+\.\d+\n0$/],
	["runs on the Node of npm on each platform, not on another bin, in its checkout",
		`program ../node_modules/.bin/node 'echo another' && other && cd ..
		for name in node-{bin-darwin-arm64,darwin-x64,linux-arm64,linux-x64,win-x64}; do
		program node_modules/$name/bin/node 'echo ours in $PWD'; CDPATH=$PWD/../other scripts/wrangler; rm -r node_modules/$name
		done`, /^(ours in .*\/checkout\n){5}0$/],
]);
