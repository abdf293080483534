import { once } from "node:events";
import {
	afterAll,
	afterEach,
	beforeAll,
	describe,
	expect,
	it,
	vi,
} from "vitest";
import {
	CHUNKED,
	checked,
	chunk,
	create,
	head,
	sample,
	send,
	withLength,
} from "./client.ts";
import {
	build,
	type Home,
	type Service,
	serve,
	storedIn,
	TOKEN,
} from "./service.ts";

// A build takes seconds on a busy machine.
vi.setConfig({ testTimeout: 15_000, hookTimeout: 60_000 });

const LIMIT = 1_048_576;

/** What every test sends; its name is padded so that the body has `size` bytes. */
const fern = (size = 0) => {
	const { length } = sample(7, "").sent;
	return sample(7, "fern".padEnd(size - length, "."));
};
const HALF = fern().sent.slice(0, 12);

/** A plant whose client has gone: it may be stored whenever the service gets to it, but whole. */
const unanswered = sample(-8, "ivy");

let service: Service;
let home: Home;

/** What the store must hold when the test is over. */
let accepted: Record<string, string> = {};

beforeAll(async () => {
	home = await build();
	service = await serve(home.path);
});

afterAll(async () => {
	await service?.stop();
	await home?.remove();
});

afterEach(async () => {
	const good = sample(0, "still here");
	const expected = { [good.key]: good.plant, ...accepted };
	accepted = {};
	expect(await create(service.port, withLength(good))).toMatchObject({
		status: 200,
	});
	const stored = await storedIn(service);
	for (const key of Object.keys(stored)) await service.plants.delete(key);
	if (stored[unanswered.key] === unanswered.plant)
		delete stored[unanswered.key];
	expect(Object.keys(stored)).toEqual(Object.keys(expected));
	for (const [key, plant] of Object.entries(expected))
		expect(stored[key] === plant).toBe(true);
});

async function expectStored(
	bytes: string,
	{ key, plant } = fern(),
): Promise<void> {
	const { status, body } = await create(service.port, bytes);
	expect(status).toBe(200);
	expect(body === plant).toBe(true);
	accepted[key] = plant;
}

async function expectRefused(
	bytes: string,
	status: number,
	error: number,
): Promise<void> {
	const answer = await create(service.port, bytes);
	expect(answer.status).toBe(status);
	expect(JSON.parse(answer.body)).toMatchObject({ error });
}

describe("a body of 1 MiB", () => {
	it("is stored when it comes with its length", () =>
		expectStored(withLength(fern(LIMIT)), fern(LIMIT)));

	it("is stored when it comes in chunks", () =>
		expectStored(
			head(CHUNKED) +
				(fern(LIMIT).sent.match(/.{1,65536}/g) ?? []).map(chunk).join("") +
				chunk(""),
			fern(LIMIT),
		));
});

describe("a body in tiny chunks", () => {
	it("is stored when it comes a byte at a time", () =>
		expectStored(
			head(CHUNKED) + [...fern().sent, ""].map(chunk).join(""),
			fern(),
		));
});

describe("a body of one byte more", () => {
	// A client that sends on after the answer may have its connection reset before it has
	// read the answer (RFC 9112 §9.6): so these send no byte that the service does not read.
	it("is refused for its length, before any of it is sent", () =>
		expectRefused(head(`Content-Length: ${LIMIT + 1}`), 400, 413));

	it("is refused when it comes in chunks", () =>
		expectRefused(
			head(CHUNKED) + chunk(fern(LIMIT + 1).sent) + chunk(""),
			400,
			413,
		));

	it("is refused when it has no end", () =>
		expectRefused(head(CHUNKED) + chunk(fern(LIMIT + 1).sent), 400, 413));
});

describe("a body that is cut off", () => {
	const cases = [
		["with a length", head(`Content-Length: ${fern().sent.length}`) + HALF],
		["in chunks", head(CHUNKED) + chunk(HALF)],
		["within a chunk", head(CHUNKED) + chunk(fern().sent).slice(0, 12)],
		["before its last chunk", head(CHUNKED) + chunk(fern().sent)],
	] as const;

	it.each(cases)(
		"is refused when the client waits for the answer: %s",
		async (_, bytes) => {
			const { socket, answer } = send(service.port, bytes);
			socket.end();
			expect(checked(await answer)).toMatchObject({
				status: 400,
				body: expect.stringMatching(/^{"error":400,/),
			});
		},
	);

	it.each(cases)(
		"stores nothing when the client goes away: %s",
		async (_, bytes) => {
			const { socket, answer } = send(service.port, bytes);
			answer.catch(() => {});
			await once(socket, "connect");
			socket.end(() => socket.destroy());
			await once(socket, "close");
		},
	);

	it("stores nothing when the connection is reset", async () => {
		const { socket, answer } = send(service.port, cases[0][1]);
		answer.catch(() => {});
		await once(socket, "connect");
		socket.resetAndDestroy();
		await once(socket, "close");
	});
});

describe("a client that does not wait for the answer", () => {
	it("has its plant stored whole or not at all", async () => {
		const { socket, answer } = send(service.port, withLength(unanswered));
		answer.catch(() => {});
		await once(socket, "connect");
		socket.end(() => socket.destroy());
		await once(socket, "close");
	});
});

describe("the head", () => {
	it("may have 64 KiB", () => {
		const { length } = head(
			`Content-Length: ${fern().sent.length}`,
			"X-Padding: ",
		);
		const padding = `X-Padding: ${"x".repeat(65_536 - length)}`;
		return expectStored(withLength(fern(), padding));
	});

	it.each([
		["right, then wrong", `Bearer ${TOKEN}`, "Bearer wrong"],
		["wrong, then right", "Bearer wrong", `Bearer ${TOKEN}`],
		["right, then empty", `Bearer ${TOKEN}`, ""],
		["right, twice", `Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
	])("lets nobody in with two Authorization headers: %s", (_, ...values) => {
		const two = values.map((value) => `Authorization: ${value}`).join("\r\n");
		const bytes = withLength(fern()).replace(/Authorization: .*/, two);
		return expectRefused(bytes, 401, 401);
	});
});

describe("creates at once", () => {
	it("are all stored: 200 plants", async () => {
		const plants = Array.from({ length: 200 }, (_, index) =>
			sample(index + 1, `plant ${index}`),
		);
		await Promise.all(
			plants.map((plant) => expectStored(withLength(plant), plant)),
		);
	});

	it("leave one of them, whole, when all have one id: 50 plants", async () => {
		const names = Array.from({ length: 50 }, (_, index) =>
			`${index} `.repeat(9_999),
		);
		const plants = names.map((name) => sample(7, name));
		await Promise.all(
			plants.map((plant) => expectStored(withLength(plant), plant)),
		);
		const stored = (await service.plants.get("7", "text")) ?? "";
		expect(plants.map(({ plant }) => plant)).toContain(stored);
		accepted["7"] = stored;
	});
});

// All of this is the runtime, workerd, before our code is called: its words, its rules.
describe("the runtime", () => {
	it.each([
		["an unknown method", head().replace("POST", "BREW"), 501],
		["a request that is no HTTP", "a plant, please\r\n\r\n", 400],
		["two lengths", head("Content-Length: 1", "Content-Length: 2"), 400],
	])("refuses %s itself", async (_, bytes, status) => {
		const answer = await send(service.port, bytes).answer;
		expect(answer.status).toBe(status);
		expect(answer.headers.get("Content-Type")).toBe("text/plain");
	});

	it("refuses a head of 1 MiB itself, or resets the connection", async () => {
		const { answer } = send(
			service.port,
			head(`X-Padding: ${"x".repeat(LIMIT)}`),
		);
		// It stops reading, so the reset may overtake the answer.
		expect([431, "reset"]).toContain(
			await answer.then(({ status }) => status).catch(() => "reset"),
		);
	});

	it("drops an empty Authorization header that comes before another", () =>
		expectStored(
			withLength(fern()).replace(
				"Authorization:",
				"Authorization:\r\nAuthorization:",
			),
		));
});
