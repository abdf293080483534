import { rows, STAND_IN } from "./run.ts";

const SAVE = "save.mjs ../backup-production-1 && cd ../backup-production-1 && file=$(ls plants-*.json | tail -1) &&";
const INTERRUPTED = `${SAVE} rm saved.json $file &&`;
/** Replaces the plants of a file by the value of an expression in JavaScript. */
const edit = (expression: string) =>
	`node -e 'const [, file] = process.argv, plants = JSON.parse(fs.readFileSync(file));
	fs.writeFileSync(file, JSON.stringify(${expression}))' $file`;
/** Makes the 15 s between the looks of restore.mjs 15 ms. */
const QUICK = `NODE_OPTIONS='--import=data:text/javascript,${encodeURIComponent(`
	import timers from "node:timers/promises"; import { syncBuiltinESMExports } from "node:module";
	const { setTimeout } = timers; timers.setTimeout = (ms) => setTimeout(ms / 1000); syncBuiltinESMExports()`)}'`;

rows([
	["saves production for the owner alone", "save.mjs && find ../backup-* -perm -040 -o -perm -004",
		/\[production\] Saved 250 plants of 251 keys in .*\/backup-production-\d+\n0$/],
	["saves the environment of CLOUDFLARE_ENV", "CLOUDFLARE_ENV=x save.mjs", /\[x\] Saved .*\/backup-x-\d+\n0$/],
	["continues a save", `${INTERRUPTED} save.mjs . && restore.mjs .`, /Restored 250 .*\n0$/],
	["continues a save without its plants and keys again",
		`${INTERRUPTED} rm ../store/* && save.mjs . && restore.mjs .`, /(Saved [1-9]\d* plants of 251 .*){2}Restored .*\n0$/s],
	["continues a save of an older commit without a loss, or not at all",
		`${SAVE} rm saved.json && ls ../store | sed 's/.*/{"name":"&"},/; $ s/,//; 1 s/^/[/; $ s/$/]/' > keys.json &&
		${edit("plants.slice(0, 40)")} && save.mjs .`, /(Saved 250 plants .*\n0|a new folder\.\n.*\n1)$/],
	["continues a save that could not write a file",
		`(ulimit -f 500; save.mjs ../backup-production-1); rm -f ../*/saved.json; ${SAVE} restore.mjs .`, /Restored 250 .*\n0$/],
	["ends when KV fails", `${SAVE} DOWN=1 restore.mjs .`, /KV is down(.*\n)+.*Failed: see above\.\n1$/],
	["changes no complete save", `${SAVE} save.mjs .`, /It is complete\.\n\[production\] Failed.*\n1$/],
	["saves all plants in two runs at once",
		`WAIT=1 save.mjs ../backup-production-1 & wait_for [ -e ../waiting ]
		save.mjs ../backup-production-1; rm ../store/?; touch ../go; wait $! && cd ../backup-* && ls && restore.mjs .`,
		/\nkeys\.json\n(plants-\d+\.json\n)+saved\.json\n(.*\n)*.*Restored 250 .*\n0$/],
	["restores the plants, and keeps the others",
		`cp -r ../store ../expected && ${SAVE} for id in {1..120} x; do echo $id > ../store/$id; done; rm ../store/1?
		cp ../store/x ../expected; mkdir t; TMPDIR=$PWD/t restore.mjs . && ls -A t && diff -r ../expected ../store`, /Restored 250 .*\n0$/],
	["saves and restores more than KV takes at once: plants of 1 MiB, which JSON doubles",
		`node -e 'for (let id = 1; id < 60; id++) fs.writeFileSync("../store/" + id, JSON.stringify("\\"".repeat(524286)))'
		cp -r ../store ../expected && ${SAVE} echo > ../store/1 && restore.mjs . && diff -r ../expected ../store`, /Restored 250 .*\n0$/],
	["ignores the backup file of an editor",
		`${SAVE} rm ../store/*; cp $file $file~ && ${edit("[]")} && restore.mjs .; ls ../store`, /Nothing is written: .*\n.*\n0$/],
	["restores nothing when a file is not as it was saved",
		`${SAVE} rm ../store/*; for text in "" "[{" "[]"; do echo "$text" > $file; restore.mjs .; done
		rm $file; restore.mjs .; ls ../store`, /keys in .*\n((.*\n)+?\[production\] Failed: see above\.\n){4}0$/],
	["restores nothing when one plant is lost or has no value",
		`${SAVE} rm ../store/*; cp $file ../copy; ${edit("plants.slice(1)")}; restore.mjs .; cp ../copy $file
		${edit("[{ key: plants[0].key }, ...plants.slice(1)]")}; restore.mjs .; ls ../store`, /(Nothing is written: 1 .*\n.*\n){2}0$/],
	["restores no incomplete save", `${SAVE} rm saved.json; restore.mjs .`, /a complete save\.\n.*\n1$/],
	["restores no save of another environment, and no second folder",
		`${SAVE} restore.mjs . x; export CLOUDFLARE_ENV=x; restore.mjs .; cp -r . ../backup-x-2-1; restore.mjs ../backup-x-2-1`,
		/(.*not a save of .*\n.*\n){3}1$/],
	["waits until KV returns the restored plants",
		`${SAVE} echo > ../store/7; ${QUICK} OLD=7 restore.mjs .`, /1 of 250 plants differ, such as 7\n.*Restored 250 .*\n0$/],
	["names a plant that KV did not write",
		`${SAVE} echo > ../store/7; ${QUICK} UNWRITTEN=7 restore.mjs .`, /differ, such as 7\nRestore again\.\n\[production\] Failed.*\n1$/],
	["ends with Ctrl-C while a plant differs",
		`${SAVE} echo > ../store/7; { UNWRITTEN=7 restore.mjs . & } &> log; wait_for grep differ log; sleep 2
		kill -INT $!; wait_for eval '! kill -0 $!' &> /dev/null; kill -KILL $!; wait $!; echo $?; cat log`,
		/\n1\n(.*\n)*.*differ,.*\nInterrupted\.\n\[production\] Failed: see above\.\n0$/],
	["ends Wrangler, too, when it is terminated", `WAIT=1 save.mjs & wait_for [ -e ../waiting ]; kill $!; wait $!
		sleep 1; pgrep -f $(cd .. && pwd)/scripts/wrangler || echo ended; touch ../go`, /Interrupted\.\n(.*\n){2}ended\n0$/],
	["needs --local for --persist-to, and refuses another option",
		"save.mjs --persist-to a; restore.mjs --persist-to a; save.mjs --removed; cat ../calls.log",
		/^(.*needs --local\.\n.*\n){2}Unknown option.*\n.*\ncat: .*\n1$/],
], STAND_IN);

rows([
	["saves and restores the local namespace, whatever WRANGLER_LOG and .env are",
		String.raw`../scripts/wrangler kv key put 7 '{"name":"\u0000\ud800"}' --binding PLANTS --local --persist-to a &&
		WRANGLER_LOG=debug save.mjs --local --persist-to ../a ../backup-local-1 &&
		WRANGLER_LOG=none restore.mjs --local --persist-to ../b ../backup-local-1 && echo CLOUDFLARE_ENV=x > ../.env &&
		save.mjs --local --persist-to ../b ../backup-local-2 && diff -r ../backup-local-*`,
		/Restored 1 plants.*Saved 1 plants of 1 keys in \S+\n0$/s],
	["tells how to continue a save",
		"CLOUDFLARE_ENV=x save.mjs", /No environment found.*To continue, add this folder: "\S+\/backup-x-\d+"\n1$/s],
]);
