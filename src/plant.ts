import * as z from "zod/mini";
import { errorAnswer, ServiceFailure } from "./error";

// A Worker has no eval. Without this, the tests, which have it, would run other code.
z.config({ jitless: true });

/** A JSON value is never undefined: an input that is undefined is a member that is not there. */
const rule = (text: string) => ({
	error: ({ input }: { input?: unknown }) =>
		input === undefined ? "is required" : text,
});

const OBJECT = "the body must be a JSON object";

/** The Plant of `openapi.json`. */
export const Plant = z.object(
	{
		name: z.string(rule("must be a string")),
		tag: z.optional(z.string(rule("must be a string"))),
	},
	OBJECT,
);

/**
 * The NewPlant of `openapi.json`, with the id as `parseExactJson` leaves it.
 * Members that are not listed are dropped.
 */
export const NewPlant = z.object(
	{
		id: z.custom<number | bigint>(
			(value) => typeof value === "bigint" || Number.isSafeInteger(value),
			rule("must be an int64 integer"),
		),
		...Plant.shape,
	},
	OBJECT,
);

/** Answers a body that is no NewPlant with 422, and a message that names every member at fault. */
export function refuseInvalid(result: {
	success: boolean;
	error?: z.core.$ZodError;
}): Response | undefined {
	const faults = result.error?.issues.map(({ path, message }) =>
		[...path, message].join(" "),
	);
	return faults && errorAnswer(422, faults.join("; "));
}

/**
 * Stores a plant under its id in decimal, in place of the one that may be there (KV's
 * last write wins), and returns the JSON text stored, a Plant.
 *
 * @throws {ServiceFailure} `store_failed` when KV fails; storing again is safe
 */
export async function storePlant(
	plants: KVNamespace,
	{ id, name, tag }: z.infer<typeof NewPlant>,
): Promise<string> {
	const key = String(id);
	const plant = JSON.stringify({ name, tag });
	try {
		await plants.put(key, plant);
	} catch (error) {
		throw new ServiceFailure("store_failed", error, key);
	}
	return plant;
}
