// Loaded before a program: its pauses take no time, and its time limit ends with the signal SIGUSR2, since on
// a busy machine, no number of seconds would be right. waits.txt gets a line for each pause that it awaits,
// and limits.txt one for each limit, in ms.
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

let limit = new AbortController();
process.on("SIGUSR2", () => limit.abort());
AbortSignal.timeout = (ms) => {
	fs.appendFileSync("limits.txt", `${ms}\n`);
	limit = new AbortController();
	return limit.signal;
};
