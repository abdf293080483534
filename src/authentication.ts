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

/** The operator's own secret, and that of each client, such as `ACCESS_TOKEN_FOR_SHOP`. No other binding. */
const SECRET_NAME = /^ACCESS_TOKEN(?:_FOR_.+)?$/s;

const encoder = new TextEncoder();

/**
 * Compares the bearer token with those in the secrets `ACCESS_TOKEN` and `ACCESS_TOKEN_FOR_<CLIENT>`.
 * A secret has one token. White space around it is ignored.
 *
 * Returns 403 to any request in clear text (RFC 6750 §5.3). Returns 401 with a
 * `WWW-Authenticate` header (RFC 6750 §3) when the token is missing or wrong.
 *
 * @throws {ServiceError} 500 `access_token_unusable` when no usable secret has the token, but one is
 *   missing, blank or no b64token, or is `dev-token` although the request has `CF-Ray`.
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
	const { tokens, reasons } = parseSecrets(c.env, isDeployed);
	const credentials = c.req.header("Authorization");
	const token = credentials?.match(CREDENTIALS)?.[1];
	// Without a token, this is empty. No secret is.
	const bytes = encoder.encode(token);
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
				: "The header Authorization has another scheme than Bearer, or no token. A library may have replaced it.",
		);
	}
	const message = B64TOKEN.test(token)
		? "The token is not valid."
		: "The token is malformed. Send it once, without quotes, spaces or commas.";
	return unauthorized(message, ', error="invalid_token"');
};

/** RFC 6750 §3.1: the challenge to a request without a token has no error. */
function unauthorized(message: string, error = ""): Response {
	const headers = { "WWW-Authenticate": `Bearer realm="plants"${error}` };
	return Response.json({ error: 401, message }, { status: 401, headers });
}

let cached:
	| { env: Env; isDeployed: boolean; tokens: Uint8Array[]; reasons: string[] }
	| undefined;

/**
 * Returns the tokens of the usable secrets, and why each other secret is unusable. Parses them once: when a
 * secret changes, the platform starts a new isolate, with another `env`.
 */
function parseSecrets(env: Env, isDeployed: boolean) {
	if (cached?.env === env && cached.isDeployed === isDeployed) return cached;
	const tokens: Uint8Array[] = [];
	const reasons: string[] = [];
	const names = new Set(["ACCESS_TOKEN", ...Object.keys(env)]);
	for (const name of names) {
		if (!SECRET_NAME.test(name)) continue;
		const secret: unknown = Reflect.get(env, name);
		// A pasted token may have a line feed.
		const token = typeof secret === "string" ? secret.trim() : "";
		if (!token) {
			reasons.push(`${name} is missing, blank or not a string.`);
			if (!isDeployed)
				reasons.push("Write ACCESS_TOKEN into .dev.vars, and restart.");
		} else if (!B64TOKEN.test(token)) {
			reasons.push(
				`${name} is not one token: it has a space, or a character other than letters, digits and -._~+/, or = before its end.`,
			);
		} else if (isDeployed && token === DEV_TOKEN) {
			reasons.push(
				`${name} is ${DEV_TOKEN}, which is public, and the request has CF-Ray. Replace it. For wrangler dev with a tunnel, write another token into .dev.vars, and restart.`,
			);
		} else {
			tokens.push(encoder.encode(token));
		}
	}
	cached = { env, isDeployed, tokens, reasons };
	return cached;
}

/** The time depends only on the lengths. */
function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean {
	return a.byteLength === b.byteLength
		? crypto.subtle.timingSafeEqual(a, b)
		: !crypto.subtle.timingSafeEqual(b, b);
}
