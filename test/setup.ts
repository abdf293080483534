import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, vi } from "vitest";

// A test that expects a log line stubs console.error. The Worker sends no request.
const calls = new Set<string>();
for (const name of "debug dir error info log table trace warn".split(" ")) {
	const log = Reflect.get(console, name);
	const noted = (...args: unknown[]) => {
		calls.add(`console.${name}`);
		log(...args);
	};
	Object.assign(console, { [name]: noted });
}
globalThis.fetch = async () => {
	calls.add("fetch");
	return new Response();
};
// The plugin imported the app before: hono/logger, for example, would keep the old console.log.
vi.resetModules();

// Storage is not isolated between the tests of a file. reset() empties only what workerd has loaded, and
// workerd unloads a namespace after ten idle seconds (workerd#1138): list() loads it again.
beforeEach(async () => {
	await env.PLANTS.list({ limit: 1 });
	await reset();
});

// After all: a log line of a developer fails the file, not each of its tests.
afterAll(() => {
	expect([...calls], "unexpected log lines or requests").toEqual([]);
});
