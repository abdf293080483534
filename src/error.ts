import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";

const INTERNAL_ERROR = "Internal error. Try again later.";

/** An error that the request does not cause: 500, or `options.status`. */
export class ServiceError extends HTTPException {
	/**
	 * @param event names the error in the log
	 * @param options as in an `HTTPException`. `cause` is logged, so it must not hold a token
	 *   or a body.
	 * @param id the id of the plant, if there is one, for the log
	 */
	constructor(
		readonly event: "store_failed" | "access_token_unusable",
		options: { cause: unknown; status?: 503; res?: Response },
		readonly id?: string,
	) {
		super(options.status, { message: INTERNAL_ERROR, ...options });
	}
}

/**
 * Returns the status and the headers of an `HTTPException`, with its text as `message`.
 * Any other error is a 500 without internals.
 *
 * Logs a status of 500 or more as one line of JSON. Without `CF-Ray`, as in `wrangler dev`, also logs
 * the error itself.
 */
export const handleError: ErrorHandler = async (error, c) => {
	const exception =
		error instanceof HTTPException
			? error
			: new HTTPException(500, { message: INTERNAL_ERROR });
	if (exception.status >= 500) {
		const { event, id, cause } =
			error instanceof ServiceError
				? error
				: { event: "unforeseen", id: undefined, cause: error };
		const { name, message, stack } =
			cause instanceof Error ? cause : new Error(String(cause));
		// In wrangler dev, a client can send any CF-Ray, of any length.
		const ray = c.req.header("CF-Ray")?.slice(0, 64);
		console.error(
			JSON.stringify({ event, ray, id, error: { name, message, stack } }),
		);
		// wrangler dev maps a stack to src, but not inside of JSON.
		if (!ray) console.error(cause);
	}
	const res = exception.getResponse();
	return c.json({ error: res.status, message: await res.text() }, res);
};
