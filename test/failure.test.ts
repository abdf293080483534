import {
	beforeEach,
	describe,
	expect,
	it,
	type MockInstance,
	vi,
} from "vitest";
import {
	breaksOff,
	expectRefused,
	expectStored,
	send,
	withPut,
} from "./service";

const body = '{"id":9007199254740993,"name":"Ficus"}';
const headers = { "CF-Ray": "8f2a-PRG" };
const down = new Error("KV PUT failed: 429 Too Many Requests");

const levels = ["debug", "info", "log", "warn", "error"] as const;
let spies: MockInstance<typeof console.log>[];
beforeEach(() => {
	spies = levels.map((level) => vi.spyOn(console, level).mockReturnValue());
	return () => vi.restoreAllMocks();
});

/** All that was logged, on any level: lines of JSON. */
const logged = (): unknown[] =>
	spies.flatMap(({ mock }) => mock.calls.map(([line]) => JSON.parse(line)));

describe("a failing store", () => {
	it.each([
		["rejects with an Error", () => Promise.reject(down), down.message],
		["rejects with something else", () => Promise.reject("down"), "down"],
		[
			"throws",
			() => {
				throw down;
			},
			down.message,
		],
	])(
		"is answered with 503 and logged as one line when it %s",
		async (_, put, message) => {
			const sent = { body, headers, env: withPut(put) };
			const retry = /send the same request again/;
			const answer = await expectRefused(sent, 503, 503, retry);
			expect(answer.headers.get("Retry-After")).toBe("1");
			const error = { name: "Error", message };
			const id = "9007199254740993";
			expect(logged()).toEqual([
				{ event: "store_failed", ray: "8f2a-PRG", id, error },
			]);
		},
	);

	it("may be sent the same create again", async () => {
		const put = () => Promise.reject(down);
		await expectRefused({ body, env: withPut(put) }, 503, 503, /again/);
		await expectStored({ body }, "9007199254740993", { name: "Ficus" });
	});
});

describe("anything unforeseen", () => {
	it("is answered with 500, without internals, and logged as one line with its stack", async () => {
		const bug = new RangeError("a bug");
		vi.spyOn(JSON, "stringify").mockImplementationOnce(() => {
			throw bug;
		});
		const message =
			"The service failed; the fault is not in the request. Try again later.";
		await expectRefused({ body }, 500, 500, message);
		const { name, message: text, stack } = bug;
		const error = { name, message: text, stack };
		expect(logged()).toEqual([{ event: "unforeseen", error }]);
	});
});

describe("the log", () => {
	it("has no line of a create that was stored", async () => {
		await expectStored({ body }, "9007199254740993", { name: "Ficus" });
		expect(logged()).toEqual([]);
	});

	it.each([
		["no token", { headers: { Authorization: null } }, 401],
		["another path", { path: "/nowhere" }, 404],
		["another method", { method: "PUT" }, 405],
		["another media type", { body, headers: { "Content-Type": "a/b" } }, 400],
		["a large body", { body: " ".repeat(1_048_577) }, 400],
		["a body that breaks off", { body: breaksOff(), env: {} }, 400],
		["a body that is not JSON", { body: "{" }, 400],
		["a body that is no NewPlant", { body: "{}" }, 400],
	])("has no line of a client's mistake: %s", async (_, sent, status) => {
		expect((await send(sent)).status).toBe(status);
		expect(logged()).toEqual([]);
	});
});
