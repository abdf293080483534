// Loaded before each program of a checkout: the pauses of restore.mjs take no time. The file clock
// of the checkout has their sum in milliseconds.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import timers from "node:timers/promises";

const script = `${process.argv[1]}`;
if (script.endsWith("/scripts/restore.mjs")) {
	let clock = 0;
	/** @param {number} [delay] */
	timers.setTimeout = async (delay = 0) => {
		clock += delay;
		fs.writeFileSync(join(script, "../../clock"), String(clock));
	};
	syncBuiltinESMExports();
}
