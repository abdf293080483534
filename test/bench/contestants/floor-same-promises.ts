// The floor with every promise of the service kept, still by hand: the least that this
// service can cost. The exact numbers are read by the service's own code.

import { parseExactJson } from "../../../src/exact-json.ts";

const MAX_BODY_BYTES = 1_048_576;
const BEARER = /^bearer +/i;
const B64TOKEN = /^[\w.~+/-]+=*$/;
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function answer(
	error: number,
	message: string,
	headers = {},
	status = error,
): Response {
	return Response.json({ error, message }, { status, headers });
}

const fault = (error: number, message: string) =>
	answer(error, message, {}, 400);

function isKnown(token: string, secret: string): boolean {
	let known = false;
	for (const entry of secret.match(/\S+/g) ?? []) {
		if (!B64TOKEN.test(entry))
			throw new Error("ACCESS_TOKEN has an entry that is no bearer token");
		const expected = encoder.encode(entry);
		const candidate = new Uint8Array(expected.length);
		encoder.encodeInto(token, candidate);
		const equal = crypto.subtle.timingSafeEqual(candidate, expected);
		known = (equal && token.length === expected.length) || known;
	}
	return known;
}

async function create(
	request: Request,
	plants: KVNamespace,
): Promise<Response> {
	if (!APPLICATION_JSON.test(request.headers.get("content-type") ?? "")) {
		return fault(415, "Send the plant with Content-Type: application/json.");
	}
	if (Number(request.headers.get("content-length")) > MAX_BODY_BYTES) {
		return fault(413, `The body is over ${MAX_BODY_BYTES} bytes.`);
	}
	let value: unknown;
	try {
		const bytes = await request.arrayBuffer();
		if (bytes.byteLength > MAX_BODY_BYTES) {
			return fault(413, `The body is over ${MAX_BODY_BYTES} bytes.`);
		}
		value = parseExactJson(decoder.decode(bytes));
	} catch {
		return fault(
			400,
			"The body is not JSON in UTF-8, or it is nested too deeply.",
		);
	}
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		return fault(422, "The body must be a JSON object.");
	}
	const { id, name, tag }: { id?: unknown; name?: unknown; tag?: unknown } =
		value;
	const faults: string[] = [];
	if (typeof id !== "bigint" && !Number.isSafeInteger(id)) {
		faults.push(
			id === undefined ? "id is required" : "id must be an int64 integer",
		);
	}
	if (typeof name !== "string") {
		faults.push(
			name === undefined ? "name is required" : "name must be a string",
		);
	}
	if (tag !== undefined && typeof tag !== "string")
		faults.push("tag must be a string");
	if (faults.length > 0) return fault(422, faults.join("; "));

	const stored = JSON.stringify({ name, tag });
	try {
		await plants.put(String(id), stored);
	} catch (error) {
		console.error(
			JSON.stringify({
				event: "store_failed",
				id: String(id),
				error: String(error),
			}),
		);
		return answer(503, "Send the same request again.", { "Retry-After": "1" });
	}
	return new Response(stored, {
		headers: { "Content-Type": "application/json" },
	});
}

async function answerFor(request: Request, env: Env): Promise<Response> {
	if (!env.ACCESS_TOKEN?.trim())
		throw new Error("ACCESS_TOKEN is missing or blank");
	const authorization = request.headers.get("authorization") ?? "";
	if (!BEARER.test(authorization)) {
		return answer(
			401,
			"Send the header Authorization: Bearer <ACCESS_TOKEN>.",
			{
				"WWW-Authenticate": 'Bearer realm="plants"',
			},
		);
	}
	if (!isKnown(authorization.replace(BEARER, ""), env.ACCESS_TOKEN)) {
		return answer(401, "The bearer token is not valid here.", {
			"WWW-Authenticate": 'Bearer realm="plants", error="invalid_token"',
		});
	}
	if (new URL(request.url).pathname !== "/plants")
		return answer(404, "POST to /plants.");
	if (request.method !== "POST")
		return answer(405, "Send a POST request.", { Allow: "POST" });
	return create(request, env.PLANTS);
}

export default {
	async fetch(request, env) {
		try {
			return await answerFor(request, env);
		} catch (error) {
			console.error(
				JSON.stringify({ event: "unforeseen", error: String(error) }),
			);
			return answer(500, "The service failed. Try again later.");
		}
	},
} satisfies ExportedHandler<Env>;
