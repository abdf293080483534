import type { Hook } from "@hono/zod-validator";
import * as z from "zod/mini";

const MUST_BE_STRING = "must be a string";
const MUST_BE_INT64 =
	"must be an integer from -9223372036854775808 to 9223372036854775807, without quotes";

/** A JSON value is never undefined, so an undefined input is a missing member. */
const requiredOr = (message: string) => ({
	error: ({ input }: { input?: unknown }) =>
		input === undefined ? "is required" : message,
});

/** The Plant of `public/openapi.json`. */
export const Plant = z.object({
	name: z.string(requiredOr(MUST_BE_STRING)),
	tag: z.optional(z.string(`${MUST_BE_STRING}, or left out`)),
});

/** The NewPlant of `public/openapi.json`, with the id that `setExactId` makes. */
export const NewPlant = z.object(
	{ id: z.int64(requiredOr(MUST_BE_INT64)), ...Plant.shape },
	"the body must be a JSON object",
);
export type NewPlant = z.infer<typeof NewPlant>;
// Zod builds parts of a schema at the first parse. The end of a request must not interrupt it:
// see test/isolate.test.ts.
NewPlant.safeParse({});

/** The hook of `zValidator`: returns 400 with a message that names each invalid member. */
export const rejectInvalid: Hook<unknown, object, string> = (result, c) => {
	if (result.success) return;
	// For 1e300, z.int() has an error of its own, too: the last error of a member counts.
	const errors = new Map(
		result.error.issues.map(({ path, message }) => [path.join(" "), message]),
	);
	const messages = [...errors].map((error) => error.filter(Boolean).join(" "));
	return c.json({ error: 422, message: messages.join("; ") }, 400);
};
