import { reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeEach, expect } from "vitest";
import app from "../src/index";
import { type Answer, checkAnswer } from "./contract";

beforeEach(reset);

/** What a test says of a request; what it leaves out is that of a create with the right token. */
export interface Sent {
	method?: string;
	path?: string;
	/** Set over the token and the media type; null takes one away. */
	headers?: Record<string, string | null>;
	body?: BodyInit | null;
	/** Bindings in place of the real ones. */
	env?: { [Name in keyof Env]?: Env[Name] | undefined };
}

/** Bindings whose store has `put` in place of its own. */
export const withPut = (
	put: (key: string, value: string) => Promise<void>,
) => ({
	PLANTS: { put } as unknown as KVNamespace,
});

/** A body that the client does not send to its end; without a Content-Length, chunked. */
export const breaksOff = () =>
	new ReadableStream({
		type: "bytes",
		pull: (controller) => controller.error(new Error("the client is gone")),
	});

/** Sends a request through the Worker, and holds the answer against its description. */
export async function send(sent: Sent): Promise<Answer> {
	const { method = "POST", path = "/plants", body = null } = sent;
	const headers = new Headers({ "Content-Type": "application/json" });
	headers.set("Authorization", `Bearer ${env.ACCESS_TOKEN}`);
	for (const [name, value] of Object.entries(sent.headers ?? {})) {
		if (value === null) headers.delete(name);
		else headers.set(name, value);
	}
	const request = new Request(`https://plants.example${path}`, {
		method,
		headers,
		body,
	});
	const response = sent.env
		? await app.fetch(request, { ...env, ...sent.env } as Env)
		: await exports.default.fetch(request);
	const answer = {
		status: response.status,
		headers: response.headers,
		body: await response.text(),
	};
	checkAnswer(method, path, answer);
	return answer;
}

/** Everything in the store, by its key. */
export async function stored(): Promise<Record<string, string | null>> {
	const { keys } = await env.PLANTS.list();
	// No expiration, no metadata.
	for (const key of keys) expect(Object.keys(key)).toEqual(["name"]);
	const values = keys.map(
		async ({ name }) => [name, await env.PLANTS.get(name)] as const,
	);
	return Object.fromEntries(await Promise.all(values));
}

/** Sends a create, and expects it to store one plant, under `key`, and to answer with what it stored. */
export async function expectStored(
	sent: Sent,
	key: string,
	plant: object,
): Promise<void> {
	const answer = await send(sent);
	expect(answer).toMatchObject({ status: 200, body: JSON.stringify(plant) });
	expect(await stored()).toEqual({ [key]: JSON.stringify(plant) });
}

/** Sends a request, and expects it to be answered with an Error and to store nothing. */
export async function expectRefused(
	sent: Sent,
	status: number,
	error: number,
	message: string | RegExp,
): Promise<Answer> {
	const answer = await send(sent);
	expect(answer.status).toBe(status);
	const body: unknown = JSON.parse(answer.body);
	expect(body).toEqual({
		error,
		message:
			typeof message === "string" ? message : expect.stringMatching(message),
	});
	expect(await stored()).toEqual({});
	return answer;
}
