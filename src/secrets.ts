/** The b64token of RFC 6750 §2.1. */
export const B64TOKEN = /^[\w.~+/-]+=*$/;

/** The token of `.dev.vars.example`: anyone can read it in the repository. */
const DEV_TOKEN = "dev-token";

/** The operator's own secret, and that of each client, such as `ACCESS_TOKEN_FOR_SHOP`. No other binding. */
const SECRET_NAME = /^ACCESS_TOKEN(?:_FOR_.+)?$/s;

const encoder = new TextEncoder();

let cached:
	| { env: Env; isDeployed: boolean; tokens: Uint8Array[]; reasons: string[] }
	| undefined;

/**
 * Returns the tokens in the secrets `ACCESS_TOKEN` and `ACCESS_TOKEN_FOR_<CLIENT>`, in UTF-8, and why
 * each of the others is unusable. A secret has one token. White space around it is ignored.
 *
 * Reads the secrets once: when one changes, the platform starts a new isolate, with a new `env`.
 */
export function readTokens(env: Env, isDeployed: boolean) {
	if (cached?.env === env && cached.isDeployed === isDeployed) return cached;
	const tokens: Uint8Array[] = [];
	const reasons: string[] = [];
	const names = new Set(["ACCESS_TOKEN", ...Object.keys(env)]);
	for (const name of names) {
		if (!SECRET_NAME.test(name)) continue;
		const secret: unknown = Reflect.get(env, name);
		// A pasted token may have a line feed.
		const token = typeof secret === "string" ? secret.trim() : "";
		const reason = whyUnusable(name, token, isDeployed);
		if (reason) reasons.push(reason);
		else tokens.push(encoder.encode(token));
	}
	cached = { env, isDeployed, tokens, reasons };
	return cached;
}

/**
 * Returns why the secret of this name is unusable, if it is. The reason is logged, so it has no part of a
 * token other than `dev-token`, which is public.
 */
function whyUnusable(name: string, token: string, isDeployed: boolean) {
	// wrangler dev reads only those secrets of .dev.vars that wrangler.toml names.
	const change =
		name === "ACCESS_TOKEN"
			? "write ACCESS_TOKEN=<token> into .dev.vars, and restart."
			: `restart with --var ${name}:<token>.`;
	if (token === "") {
		const reason = `${name} is missing, blank or not a string.`;
		return isDeployed ? reason : `${reason} For wrangler dev, ${change}`;
	}
	if (!B64TOKEN.test(token)) {
		return `${name} is not one token: it has a space, or a character other than letters, digits and -._~+/, or = before its end.`;
	}
	if (isDeployed && token === DEV_TOKEN) {
		return `${name} is ${DEV_TOKEN}, which is public, and the request has CF-Ray. Replace it. For wrangler dev with a tunnel, ${change}`;
	}
	return undefined;
}
