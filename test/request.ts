import { env } from "cloudflare:workers";
import app from "../src/app";

/** Sends `POST /plants` with the right token and media type. `headers` and `bindings` override. */
export const post = (
	body: BodyInit | null,
	headers: Record<string, string> = {},
	bindings: Partial<Record<keyof Env, unknown>> = {},
): Response | Promise<Response> =>
	app.request(
		"/plants",
		{
			method: "POST",
			headers: {
				Authorization: "Bearer test-token",
				"Content-Type": "application/json",
				// Clients send the length of a string.
				...(typeof body === "string" && {
					"Content-Length": `${new Blob([body]).size}`,
				}),
				...headers,
			},
			body,
		},
		{ ...env, ...bindings },
	);

/** Bindings with a KV namespace that has this `put`. */
export const withPut = (put: () => Promise<void>) => ({ PLANTS: { put } });

/** Bindings with a KV namespace that fails. */
export const failingKv = withPut(() => Promise.reject(new Error("KV is down")));

/** Everything in the KV namespace: values by key. */
export async function stored(): Promise<Record<string, string | null>> {
	const { keys } = await env.PLANTS.list();
	const entries = keys.map(
		async ({ name }) => [name, await env.PLANTS.get(name)] as const,
	);
	return Object.fromEntries(await Promise.all(entries));
}
