import { reset } from "cloudflare:test";
import { beforeEach, vi } from "vitest";

beforeEach(async () => {
	// Storage is not isolated between the tests of a file.
	await reset();
	// Only a status of 500 or more is logged. A test that expects that stubs console.error.
	for (const level of ["debug", "info", "log", "warn", "error"] as const) {
		vi.spyOn(console, level).mockImplementation((...args) => {
			throw new Error(`A request logged ${args}`);
		});
	}
});
