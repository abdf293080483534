import type { MiddlewareHandler } from "hono";
import { ServiceError } from "./error";

/** RFC 6750 §2.1. The scheme is case-insensitive (RFC 9110 §11.1). */
// Without s, a token would be cut at U+2028. With $ in place of s, the spaces before it take quadratic time.
const CREDENTIALS = /^bearer +(.*)/is;

/** The b64token of RFC 6750 §2.1. */
const B64TOKEN = /^[\w.~+/-]+=*$/;

/** The token of `.dev.vars.example`: anybody can read it in the repository. */
const DEV_TOKEN = "dev-token";

/** Cloudflare writes `CF-Visitor: {"scheme":"http"}` when the client did not use TLS. */
const PLAIN_HTTP = /"scheme"\s*:\s*"http"/;

const encoder = new TextEncoder();

/**
 * Compares the bearer token with the tokens in the secret `ACCESS_TOKEN`: one or
 * several, separated by white space.
 *
 * Returns 403 to any request in clear text (RFC 6750 §5.3). Returns 401 with a
 * `WWW-Authenticate` header (RFC 6750 §3) when the token is missing or wrong.
 *
 * @throws {ServiceError} 500 `access_token_unusable` when the secret is missing or blank, has an
 *   entry that is not a b64token, or has `dev-token` although the request has `CF-Ray`
 */
export const authenticate: MiddlewareHandler<{ Bindings: Env }> = async (
	c,
	next,
) => {
	// Comes first, so that a request without a token shows that the secret is unusable.
	const { tokens, hasDevToken } = parseSecret(c.env.ACCESS_TOKEN);
	// Cloudflare adds CF-Ray to each request from outside, and wrangler dev does not.
	if (hasDevToken && c.req.header("CF-Ray")) {
		throw unusableSecret(
			`ACCESS_TOKEN has ${DEV_TOKEN}, which is public, and the request has CF-Ray. Replace it. For wrangler dev with a tunnel, write another token into .dev.vars, and restart.`,
		);
	}
	if (PLAIN_HTTP.test(c.req.header("CF-Visitor") ?? "")) {
		const message = "Use https. Replace the token: others can read it.";
		return c.json({ error: 403, message }, 403);
	}
	const credentials = c.req.header("Authorization");
	const token = credentials?.match(CREDENTIALS)?.[1];
	if (token === undefined) {
		return unauthorized(
			credentials === undefined
				? "The header Authorization: Bearer <token> is missing."
				: "The header Authorization has another scheme than Bearer, or no token. A library may have replaced it.",
		);
	}
	const bytes = encoder.encode(token);
	// filter compares all of them, so that the time does not tell which one matches.
	const matches = tokens.filter((expected) => timingSafeEqual(bytes, expected));
	if (matches.length === 0) {
		const message = B64TOKEN.test(token)
			? "The token is not valid."
			: "The token is malformed. Send it once, without quotes, spaces or commas.";
		return unauthorized(message, ', error="invalid_token"');
	}
	return next();
};

/** RFC 6750 §3.1: the challenge to a request without a token has no error. */
function unauthorized(message: string, error = ""): Response {
	const headers = { "WWW-Authenticate": `Bearer realm="plants"${error}` };
	return Response.json({ error: 401, message }, { status: 401, headers });
}

let cached:
	| { secret: string; tokens: Uint8Array[]; hasDevToken: boolean }
	| undefined;

/** Parses the secret again only when it changes. */
function parseSecret(secret = "") {
	if (cached?.secret !== secret) {
		const entries = secret.match(/\S+/g);
		if (!entries) {
			throw unusableSecret(
				"ACCESS_TOKEN is missing or blank. For wrangler dev, write it into .dev.vars, and restart.",
			);
		}
		const index = entries.findIndex((entry) => !B64TOKEN.test(entry));
		if (index >= 0) {
			throw unusableSecret(
				`entry ${index + 1} of ACCESS_TOKEN is not a bearer token (RFC 6750 b64token)`,
			);
		}
		const tokens = entries.map((entry) => encoder.encode(entry));
		cached = { secret, tokens, hasDevToken: entries.includes(DEV_TOKEN) };
	}
	return cached;
}

function unusableSecret(message: string): ServiceError {
	const cause = new Error(message);
	return new ServiceError("access_token_unusable", { cause });
}

/** The time depends only on the lengths. */
function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
	return a.byteLength === b.byteLength
		? crypto.subtle.timingSafeEqual(a, b)
		: !crypto.subtle.timingSafeEqual(b, b);
}
