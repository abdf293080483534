import type { MiddlewareHandler } from "hono";
import { ServiceError } from "./error";
import { B64TOKEN, readTokens } from "./secrets";

/** What stands before the token (RFC 6750 §2.1). The scheme is case-insensitive (RFC 9110 §11.1). */
const BEARER = /^bearer +/i;

/** Cloudflare writes `CF-Visitor: {"scheme":"http"}` when the client did not use TLS. */
const PLAIN_HTTP = /"scheme"\s*:\s*"http"/;

const encoder = new TextEncoder();

/**
 * Compares the bearer token with those of `readTokens`, with `crypto.subtle.timingSafeEqual`.
 *
 * Returns 403 to any request in clear text (RFC 6750 §5.3). Returns 401 with a
 * `WWW-Authenticate` header (RFC 6750 §3) when the token is missing or wrong.
 *
 * @throws {ServiceError} 500 `access_token_unusable` when no usable secret has the token, but `readTokens`
 *   returns a reason why another secret is unusable.
 */
export const authenticate: MiddlewareHandler<{ Bindings: Env }> = async (
	c,
	next,
) => {
	if (PLAIN_HTTP.test(c.req.header("CF-Visitor") ?? "")) {
		const message = "Use https. Replace the token: others can read it.";
		return c.json({ error: 403, message }, 403);
	}
	// Cloudflare adds CF-Ray to each request from outside, and wrangler dev does not.
	const isDeployed = Boolean(c.req.header("CF-Ray"));
	const { tokens, reasons } = readTokens(c.env, isDeployed);
	// workerd keeps the white space after the value of a header (RFC 9110 §5.5).
	const credentials = c.req.header("Authorization")?.trimEnd();
	const scheme = credentials?.match(BEARER)?.[0];
	const token = scheme && credentials?.slice(scheme.length);
	// No secret has an empty token.
	const bytes = encoder.encode(token ?? "");
	// filter compares all of them, so that the time does not tell which one matches.
	const matches = tokens.filter((expected) => timingSafeEqual(bytes, expected));
	if (matches.length > 0) return next();
	// Also without a token, so that a probe sees it. The token may be the one that is unusable.
	if (reasons.length > 0) {
		const cause = new Error(reasons.join(" "));
		throw new ServiceError("access_token_unusable", { cause });
	}
	if (token === undefined) {
		return unauthorized(
			credentials === undefined
				? "The header Authorization: Bearer <token> is missing."
				: "The header Authorization has a scheme other than Bearer, or no token. A library may have replaced it.",
		);
	}
	const message = B64TOKEN.test(token)
		? "The token is not valid."
		: "The token is malformed. Send it once, without quotes, spaces, commas or a second Bearer.";
	return unauthorized(message, ', error="invalid_token"');
};

/** RFC 6750 §3.1: the challenge to a request without a token has no error. */
function unauthorized(message: string, error = ""): Response {
	const headers = { "WWW-Authenticate": `Bearer realm="plants"${error}` };
	return Response.json({ error: 401, message }, { status: 401, headers });
}

/** The time depends only on the lengths. */
function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
	return a.byteLength === b.byteLength
		? crypto.subtle.timingSafeEqual(a, b)
		: !crypto.subtle.timingSafeEqual(b, b);
}
