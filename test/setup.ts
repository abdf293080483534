import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, vi } from "vitest";

// A test that expects a log line stubs console.error. The Worker sends no request.
const calls: unknown[][] = [];
for (const name of "debug dir error info log table trace warn".split(" ")) {
	Object.assign(console, { [name]: (...args: unknown[]) => calls.push(args) });
}
globalThis.fetch = async (...args) => {
	calls.push(["fetch", ...args]);
	return new Response();
};
// The plugin imported the app before: hono/logger, for example, would keep the old console.log.
vi.resetModules();

// Storage is not isolated between the tests of a file.
beforeEach(reset);

afterEach(() => {
	expect(calls.splice(0), "unexpected log lines or requests").toEqual([]);
});
