import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, vi } from "vitest";

// Only a status of 500 or more is logged. A test that expects a line stubs console.error.
const lines: unknown[][] = [];
for (const level of ["debug", "info", "log", "warn", "error"] as const) {
	console[level] = (...args) => void lines.push(args);
}
// The app is imported already, and Hono's logger() keeps the console.log of its import.
vi.resetModules();

// Storage is not isolated between the tests of a file.
beforeEach(reset);

afterEach(() => {
	expect(lines.splice(0), "lines that a request logged").toEqual([]);
});
