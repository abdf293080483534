// Loaded before restore.mjs: its pauses take no time. The server of the test adds them up.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

/** @param {number} delay */
async function pause(delay) {
	await fetch(`${process.env.CLOUDFLARE_API_BASE_URL}/pause/${delay}`);
}
Object.assign(timers, { setTimeout: pause });
syncBuiltinESMExports();
