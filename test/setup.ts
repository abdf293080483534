import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect } from "vitest";

// Only a status of 500 or more is logged. A test that expects a line stubs console.error.
// This runs before the app is imported: Hono's logger() keeps the console.log of its import.
const lines: unknown[][] = [];
for (const level of ["debug", "info", "log", "warn", "error"] as const) {
	console[level] = (...args) => void lines.push(args);
}

// Storage is not isolated between the tests of a file.
beforeEach(reset);

afterEach(() => {
	expect(lines.splice(0), "lines that a request logged").toEqual([]);
});
