import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { parseWithExactId } from "./exact-id";

/** The largest body that is accepted, in bytes. */
export const MAX_BODY_BYTES = 102_400;

/** RFC 9110 §8.3.1: case-insensitive, with any parameters. */
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

/** `ignoreBOM: false` removes a byte order mark at the start (RFC 8259 §8.1). */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Reads the body as JSON. `c.req.json()` then returns its value, with an exact `id`.
 *
 * Returns 400 with one of these in `error`:
 * - 415: the media type is not `application/json`
 * - 413: the body has more than `MAX_BODY_BYTES`
 * - 400: the body is empty, incomplete, not UTF-8 or not JSON (RFC 8259)
 */
export const readJson: MiddlewareHandler = async (c, next) => {
	const badRequest = (error: number, message: string) =>
		c.json({ error, message }, 400);

	if (!APPLICATION_JSON.test(c.req.header("Content-Type") ?? "")) {
		return badRequest(415, "Send one header Content-Type: application/json.");
	}
	const bytes = await readBytes(c.req.raw);
	if (!bytes) {
		return badRequest(413, `The body has more than ${MAX_BODY_BYTES} bytes.`);
	}
	let text: string;
	try {
		text = utf8.decode(bytes);
	} catch {
		return badRequest(400, "The body is not UTF-8 or is compressed.");
	}
	if (text === "") return badRequest(400, "The body is empty.");
	let value: unknown;
	try {
		value = parseWithExactId(text);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		// The rest of V8's message repeats parts of the body.
		const [position = ""] = / \(line \d+ column \d+\)$/.exec(`${error}`) ?? [];
		return badRequest(400, `The body is not valid JSON${position}.`);
	}
	// zValidator reads the body with it, and Hono's own c.req.json() rounds the id.
	c.req.json = async <T>() => value as T;
	return next();
};

/**
 * Reads the body. Returns undefined when it has more than `MAX_BODY_BYTES`.
 *
 * @throws {HTTPException} 400 when the body is incomplete
 */
async function readBytes(
	request: Request,
): Promise<ArrayBuffer | Uint8Array | undefined> {
	// For a small body, a buffer of 100 KiB would raise the CPU time of a create by more than half.
	const length = request.headers.get("Content-Length");
	const isSmall = length && Number(length) <= MAX_BODY_BYTES;
	const reader = isSmall ? null : request.body?.getReader({ mode: "byob" });
	try {
		if (!reader) {
			const bytes = await request.arrayBuffer();
			// A Worker that calls this one through a service binding can send any Content-Length.
			return bytes.byteLength <= MAX_BODY_BYTES ? bytes : undefined;
		}
		// Not arrayBuffer(): an isolate has 128 MB for all of its requests.
		const buffer = new Uint8Array(MAX_BODY_BYTES + 1);
		let result = await reader.readAtLeast(buffer.length, buffer);
		if (result.done) return new Uint8Array();
		if (result.value.length <= MAX_BODY_BYTES) return result.value;
		// A client reads the response after it has sent its body (RFC 9112 §9.6), so the rest is
		// read and discarded. Each read detaches the buffer, and returns its memory as value.buffer.
		while (!result.done) {
			result = await reader.read(new Uint8Array(result.value.buffer));
		}
		return undefined;
	} catch (cause) {
		// A TypeError is a bug here. When the client disconnects, the platform rejects with a different Error.
		if (cause instanceof TypeError) throw cause;
		// A proxy in between may still read the response.
		throw new HTTPException(400, { message: "The body is incomplete.", cause });
	}
}
