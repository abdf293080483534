// Loaded before a script with --import: its pauses take no time. The file clock of its checkout
// has their sum in milliseconds.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

let clock = 0;
/** @param {number} [delay] */
timers.setTimeout = async (delay = 0) => {
	clock += delay;
	fs.writeFileSync(`${import.meta.dirname}/clock`, String(clock));
};
syncBuiltinESMExports();
