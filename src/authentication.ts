import type { MiddlewareHandler } from "hono";
import { errorAnswer, ServiceFailure } from "./error";

const REALM = 'Bearer realm="plants"';
const INVALID_TOKEN = `${REALM}, error="invalid_token"`;

/** The token's syntax: b64token of RFC 6750 §2.1. It is ASCII, so a character is a byte. */
const B64TOKEN = /^[\w.~+/-]+=*$/;

/** RFC 6750 §2.1, with the scheme's name in any case (RFC 9110 §11.1). */
const CREDENTIALS = /^bearer +(.*)/i;

const encoder = new TextEncoder();

/**
 * Lets in a request whose bearer token is one of those in `ACCESS_TOKEN` (one or
 * several, separated by white space), and answers any other with 401 and a challenge
 * (RFC 6750 §3).
 *
 * @throws {ServiceFailure} while `ACCESS_TOKEN` is missing or blank or has an entry
 *   that no client could send: then nobody is let in
 */
export const authenticate: MiddlewareHandler<{ Bindings: Env }> = async (
	c,
	next,
) => {
	const tokens = cachedTokens(c.env.ACCESS_TOKEN);
	const token = c.req.header("authorization")?.match(CREDENTIALS)?.[1];
	if (token === undefined) {
		const message = "Send the header Authorization: Bearer <ACCESS_TOKEN>.";
		return errorAnswer(401, message, { "WWW-Authenticate": REALM });
	}
	let known = false;
	for (const expected of tokens) {
		known = equalInConstantTime(token, expected) || known;
	}
	if (!known) {
		const message = "The token is not valid; ask the operator for one.";
		return errorAnswer(401, message, { "WWW-Authenticate": INVALID_TOKEN });
	}
	return next();
};

/** The secret read last, and its tokens: it does not change while an isolate lives. */
let cached: { secret: string; tokens: Uint8Array[] } | undefined;

function cachedTokens(secret = ""): Uint8Array[] {
	if (cached?.secret !== secret) {
		cached = { secret, tokens: parseTokens(secret) };
	}
	return cached.tokens;
}

function parseTokens(secret: string): Uint8Array[] {
	const entries = secret.match(/\S+/g);
	if (!entries) throw unusable("ACCESS_TOKEN is missing or blank");
	return entries.map((entry, index) => {
		if (B64TOKEN.test(entry)) return encoder.encode(entry);
		const position = `entry ${index + 1} of ACCESS_TOKEN`;
		throw unusable(`${position} is not a bearer token (RFC 6750 b64token)`);
	});
}

function unusable(message: string): ServiceFailure {
	return new ServiceFailure("access_token_unusable", new Error(message));
}

/** Takes time that depends on the lengths alone; `expected` is compared whole whatever `token` is. */
function equalInConstantTime(token: string, expected: Uint8Array): boolean {
	const candidate = new Uint8Array(expected.length);
	encoder.encodeInto(token, candidate);
	const equal = crypto.subtle.timingSafeEqual(candidate, expected);
	return equal && token.length === expected.length;
}
