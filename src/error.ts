import type { ErrorHandler } from "hono";

/** An internal error: the request is not the cause. */
export class ServiceError extends Error {
	/**
	 * @param event what the log calls the error
	 * @param cause what was thrown. It is logged, so it must not hold a token or a body.
	 * @param id the id of the plant, if there is one
	 */
	constructor(
		readonly event: "store_failed" | "access_token_unusable" | "unforeseen",
		cause: unknown,
		readonly id?: string,
	) {
		super(event, { cause });
	}
}

/**
 * Logs an error as one line of JSON, and returns a response without internals.
 *
 * Returns 503 with `Retry-After` in seconds (RFC 9110 §10.2.3) for `store_failed`, and
 * 500 for everything else.
 */
export const handleError: ErrorHandler = (error, c) => {
	const { event, cause, id } =
		error instanceof ServiceError
			? error
			: new ServiceError("unforeseen", error);
	const { name, message, stack } =
		cause instanceof Error ? cause : new Error(String(cause));
	// Without Cloudflare in front, as in wrangler dev, a client sets this header.
	const ray = c.req.header("CF-Ray")?.slice(0, 64);
	console.error(
		JSON.stringify({ event, ray, id, error: { name, message, stack } }),
	);
	if (event === "store_failed") {
		const message =
			"The plant could not be stored. Send the same request again.";
		return c.json({ error: 503, message }, 503, { "Retry-After": "1" });
	}
	return c.json(
		{ error: 500, message: "Internal error. Try again later." },
		500,
	);
};
