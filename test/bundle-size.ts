// Fails when what `wrangler deploy` uploads has grown over its budget; its size is the
// same on every machine.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUDGET = 15_000;

const bundle = readFileSync(".wrangler/build/index.js");
const size = gzipSync(bundle).byteLength;
console.log(
	`bundle: ${bundle.byteLength} bytes, ${size} gzip; budget: ${BUDGET} gzip`,
);
if (size > BUDGET) process.exitCode = 1;
