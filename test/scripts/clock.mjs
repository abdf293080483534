// Loaded before a script: its pauses take no time. waits.txt gets a line for each that it awaits, in ms.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

Object.assign(timers, {
	/** @param {number} [ms] */
	setTimeout: (ms) => ({
		/** @param {() => void} resolve */
		// biome-ignore lint/suspicious/noThenProperty: await calls it.
		then(resolve) {
			fs.appendFileSync("waits.txt", `${ms}\n`);
			resolve();
		},
	}),
});
syncBuiltinESMExports();
