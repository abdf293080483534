// Loaded before a script: its pauses take no time, and are printed.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** @param {number} [ms] */
const setTimeout = async (ms) => console.log(`Waited for ${ms} ms`);
Object.assign(timers, { setTimeout });
syncBuiltinESMExports();
