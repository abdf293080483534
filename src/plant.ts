import type { Context } from "hono";
import * as z from "zod/mini";

const OBJECT = "the body must be a JSON object";
const STRING = "must be a string";
const INT64 =
	"must be an integer from -9223372036854775808 to 9223372036854775807, without quotes";

/** A JSON value is never undefined, so an undefined input is a missing member. */
const requiredOr = (text: string) => ({
	error: ({ input }: { input?: unknown }) =>
		input === undefined ? "is required" : text,
});

/** The Plant of `openapi.json`. */
export const Plant = z.object(
	{
		name: z.string(requiredOr(STRING)),
		tag: z.optional(z.string(`${STRING}, or left out`)),
	},
	OBJECT,
);

/** The NewPlant of `openapi.json`, with the id that `setExactId` makes. */
export const NewPlant = z.object(
	{ id: z.int64(requiredOr(INT64)), ...Plant.shape },
	OBJECT,
);
export type NewPlant = z.infer<typeof NewPlant>;

/** The hook of `zValidator`: returns 400 with a message that names each invalid member. */
export function rejectInvalid(
	result: { success: boolean; error?: z.core.$ZodError },
	c: Context,
): Response | undefined {
	const errors = result.error?.issues.map(({ path, message }) =>
		[...path, message].join(" "),
	);
	return errors && c.json({ error: 422, message: errors.join("; ") }, 400);
}
