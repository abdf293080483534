import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, vi } from "vitest";

// A test that expects a log line stubs console.error.
const lines: unknown[][] = [];
for (const name of "debug dir error info log table trace warn".split(" ")) {
	Object.assign(console, { [name]: (...args: unknown[]) => lines.push(args) });
}
// The app is imported already, and Hono's logger() keeps the console.log of its import.
vi.resetModules();

// Storage is not isolated between the tests of a file.
beforeEach(reset);

afterEach(() => {
	expect(lines.splice(0), "unexpected log lines").toEqual([]);
});
