// Loaded before a script: its pauses take no time. waits.txt gets a line for each, in ms.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

Object.assign(timers, {
	/** @param {number} [ms] */
	setTimeout: async (ms) => fs.appendFileSync("waits.txt", `${ms}\n`),
});
syncBuiltinESMExports();
