// Loaded before a script: its pauses take no time. waits.txt gets a line for each, in ms.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

let waited = 0;
/** @param {number} [ms] */
function wait(ms = 0) {
	waited += ms;
	fs.appendFileSync("waits.txt", `${ms}\n`);
}
Object.assign(timers, {
	setTimeout: /** @param {number} [ms] */ async (ms) => wait(ms),
});
syncBuiltinESMExports();

const { setTimeout } = globalThis;
/** @type {(...args: Parameters<typeof setTimeout>) => NodeJS.Timeout} */
const withoutWait = (callback, ms = 0, ...args) => {
	// fetch keeps its own timers.
	if (new Error().stack?.includes("undici")) {
		return setTimeout(callback, ms, ...args);
	}
	wait(ms);
	return setTimeout(callback, 0, ...args);
};
Object.assign(globalThis, { setTimeout: withoutWait });
const now = performance.now.bind(performance);
performance.now = () => now() + waited;
