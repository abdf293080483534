// Loaded before restore.mjs: its pause takes no time, and is printed.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** @param {number} [ms] */
const setTimeout = async (ms) => console.log(`Waited for ${ms} ms`);
Object.assign(timers, { setTimeout });
syncBuiltinESMExports();
