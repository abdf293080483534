import type { Hook } from "@hono/zod-validator";
import { en } from "zod/locales";
import * as z from "zod/mini";

// zod/mini has no messages. z.locales.en would bundle all languages.
const { localeError } = en();
z.config({
	// A JSON value is never undefined, so an undefined input is a missing member. JSON has no bigint.
	localeError: (issue) =>
		issue.input === undefined
			? "Required"
			: `${localeError(issue)}`.replace("bigint", "integer"),
});

declare module "zod/v4/core" {
	/** What the OpenAPI document has for a member. */
	interface GlobalMeta {
		description: string;
		examples: [unknown, ...unknown[]];
	}
}

/** The body of a 200, and the value in KV. `src/openapi.ts` documents it. */
export const Plant = z.object({
	name: z.string().register(z.globalRegistry, {
		description: "The name of the plant",
		examples: ["Monstera"],
	}),
	tag: z.optional(z.string()).register(z.globalRegistry, {
		description: "Tag that specifies the type",
		examples: ["indoor"],
	}),
});

/** The body of a request, with the id that `parseWithExactId` makes. */
export const NewPlant = z.object({
	id: z.int64().register(z.globalRegistry, {
		description:
			"Identification number of the plant, stored exactly. Many clients round an id beyond 2^53, and some round one of 7 digits, so check yours.",
		examples: [42],
	}),
	...Plant.shape,
});
export type NewPlant = z.infer<typeof NewPlant>;

/** An object with the first example of each member. */
export const exampleOf = ({ shape }: typeof Plant | typeof NewPlant) =>
	Object.fromEntries(
		Object.entries(shape).map(([name, member]) => [
			name,
			z.globalRegistry.get(member)?.examples[0],
		]),
	);
// The first parse builds parts of a schema, also those of an object in a member. If the limit of CPU time
// ended that request, tag would be required from then on.
NewPlant.safeParse(exampleOf(NewPlant));

/** The hook of `zValidator`: returns 400 with a message that names each invalid member. */
export const rejectInvalid: Hook<unknown, object, string> = (result, c) => {
	if (result.success) return;
	const messages = result.error.issues.map(({ path, message }) =>
		path.length > 0 ? `${path.join(".")}: ${message}` : message,
	);
	return c.json({ error: 422, message: messages.join("; ") }, 400);
};
