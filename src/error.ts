import type { ErrorHandler } from "hono";

/** The HTTP status codes (RFC 9110 §15) that the member `error` can hold. */
type ErrorCode = 400 | 401 | 404 | 405 | 413 | 415 | 422 | 500 | 503;

/**
 * Makes an Error answer, as `openapi.json` has it: every answer that is not 200 is one.
 *
 * The description has one status for a faulty request, 400; so 413, 415 and 422 are
 * said in the body only.
 */
export function errorAnswer(
	error: ErrorCode,
	message: string,
	headers: Record<string, string> = {},
): Response {
	const status = error === 413 || error === 415 || error === 422 ? 400 : error;
	return Response.json({ error, message }, { status, headers });
}

/** A failure of the service's own, which no client can mend. */
export class ServiceFailure extends Error {
	/**
	 * @param event what failed, as the log names it
	 * @param cause what was thrown; it is logged, so it must not hold a token or a body
	 * @param id the plant's id, where there is one
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
 * Logs whatever was thrown on a request's way as one line of JSON, and answers without
 * internals: with 503 and `Retry-After` in seconds (RFC 9110 §10.2.3) when the store
 * failed, with 500 otherwise.
 */
export const answerFailure: ErrorHandler = (thrown, c) => {
	const failure =
		thrown instanceof ServiceFailure
			? thrown
			: new ServiceFailure("unforeseen", thrown);
	const { event, cause, id } = failure;
	const { name, message, stack } =
		cause instanceof Error ? cause : new Error(String(cause));
	const error = { name, message, ...(event === "unforeseen" && { stack }) };
	const ray = c.req.header("cf-ray");
	console.error(JSON.stringify({ event, ray, id, error }));
	if (event === "store_failed") {
		const message =
			"The plant could not be stored; send the same request again.";
		return errorAnswer(503, message, { "Retry-After": "1" });
	}
	return errorAnswer(
		500,
		"The service failed; the fault is not in the request. Try again later.",
	);
};
