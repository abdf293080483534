import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, vi } from "vitest";
import app from "../src/app";
import { document } from "../src/openapi";
import { exampleOf, Plant } from "../src/plant";

/** What KV has for a plant: the example of each member, as JSON. */
export const value = JSON.stringify(exampleOf(Plant));

/** The members of a plant without its id, as JSON. */
export const members = value.slice(1, -1);

/** The body of a plant with this id, as JSON. */
export const newPlant = (id: string) => `{"id":${id},${members}}`;

export const plant = newPlant("1");

/** What Cloudflare adds to a request in clear text. */
export const overHttp = { "CF-Visitor": '{"scheme":"http"}' };

/**
 * Sends `POST /plants` with the right token and media type. `headers` and `bindings` override:
 * undefined removes a header. The OpenAPI document must have the status of the response.
 */
async function postPlant(
	body: BodyInit | null,
	headers: Record<string, string | undefined> = {},
	bindings: Record<string, unknown> = {},
): Promise<Response> {
	const all = {
		Authorization: "Bearer test-token",
		"CF-Ray": "8f2a-PRG",
		"Content-Type": "application/json",
		// Clients send the length of a string.
		"Content-Length":
			typeof body === "string" ? `${new Blob([body]).size}` : undefined,
		...headers,
	};
	const init = { method: "POST", headers: new Headers(), body };
	for (const [name, text] of Object.entries(all)) {
		if (text !== undefined) init.headers.set(name, text);
	}
	// As in production: a change that refuses https URLs must fail a test.
	const url = "https://plants.example.com/plants";
	const res = await send(url, init, { ...env, ...bindings });
	const { responses } = document.paths["/plants"].post;
	const start = (await res.clone().text()).slice(0, 1000);
	expect(Object.keys(responses), start).toContain(`${res.status}`);
	return res;
}
// A failure shows the line of the test.
export const post = vi.defineHelper(postPlant);

/** Sends a request to the app, with an `ExecutionContext`. The response must not have the token. */
export async function send(
	input: string | Request,
	init?: RequestInit,
	bindings: object = env,
	to = app,
) {
	const res = await to.request(input, init, bindings, createExecutionContext());
	const parts = [...res.headers, await res.clone().text()];
	const text = parts.join("\n");
	expect(text.includes("test-token"), text.slice(0, 1000)).toBe(false);
	return res;
}

/** A body without Content-Length. Takes the chunks out of the array. */
export const chunked = (chunks: (string | Uint8Array)[]) =>
	new ReadableStream({
		type: "bytes",
		async pull(controller) {
			const chunk = await new Blob([chunks.shift() ?? ""]).bytes();
			if (chunk.length > 0) return controller.enqueue(chunk);
			controller.close();
			controller.byobRequest?.respond(0);
		},
	});

/** JSON shows nothing of an Error or of Headers. */
function refuseOthers(_: string, value: unknown) {
	const prototypes = [Object.prototype, Array.prototype];
	if (value instanceof Object)
		expect(prototypes).toContain(Object.getPrototypeOf(value));
	return value;
}
/** The arguments of console.error: lines of JSON, or objects. */
export const parseLog = (args: unknown[]): unknown[] =>
	args
		.flatMap((x) =>
			typeof x === "string" ? x.split("\n") : JSON.stringify(x, refuseOthers),
		)
		.map((line) => JSON.parse(line));

/** Bindings with a KV namespace that has this `put`. */
export const withPut = (put: () => Promise<void>) => ({ PLANTS: { put } });

/** Bindings with a KV namespace that fails. */
export const failingKv = {
	PLANTS: new Proxy(
		{},
		{ get: () => () => Promise.reject(new Error("KV is down")) },
	),
};

/** Everything in the KV namespace: values by key. */
export async function stored(): Promise<Record<string, string | null>> {
	const { keys } = await env.PLANTS.list();
	const entries = keys.map(
		async ({ name }) => [name, await env.PLANTS.get(name)] as const,
	);
	return Object.fromEntries(await Promise.all(entries));
}
