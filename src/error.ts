import type { ErrorHandler } from "hono";
import { HTTPException } from "hono/http-exception";

/**
 * An error that the request does not cause. `event` names it in the log. `cause` and `id`, that of a
 * plant, are logged, too, so they must not hold a token or a body. `retryAfter` is in seconds.
 */
export class ServiceError extends HTTPException {
	constructor(
		readonly event: "access_token_unusable" | "store_failed" | "unforeseen",
		readonly options: {
			cause: unknown;
			id?: string;
			status?: 503;
			message?: string;
			retryAfter?: number;
		},
	) {
		const { cause, message = "Internal error. Try again later." } = options;
		super(options.status, { cause, message });
	}
}

/**
 * Returns the status and the message of an `HTTPException`. Any other error is a 500 without internals.
 *
 * Ignores the `res` of an `HTTPException`, since it has a different shape: a middleware of Hono that throws with
 * one returns an empty message.
 *
 * Logs a `ServiceError` as one line of JSON. Without `CF-Ray`, as in `wrangler dev`, also logs its cause.
 */
export const handleError: ErrorHandler = (error, c) => {
	const exception =
		error instanceof HTTPException
			? error
			: new ServiceError("unforeseen", { cause: error });
	if (exception instanceof ServiceError) {
		const { cause, id, retryAfter } = exception.options;
		if (retryAfter) c.header("Retry-After", `${retryAfter}`);
		const { name, message, stack } =
			cause instanceof Error ? cause : new Error(String(cause));
		const ray = c.req.header("CF-Ray");
		const line = { event: exception.event, ray, id };
		console.error(JSON.stringify({ ...line, error: { name, message, stack } }));
		// wrangler dev maps a stack to src, but not inside of JSON.
		if (!ray) console.error(cause);
	}
	const { status, message } = exception;
	return c.json({ error: status, message }, status);
};
