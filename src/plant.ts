import * as z from "zod/mini";
import { ServiceFailure } from "./error";

/** A JSON value is never undefined: an input that is undefined is a member that is not there. */
const rule = (text: string) => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? "is required" : text),
});

/** Plant (interface §2). Members that it does not list are dropped. */
export const Plant = z.object({
  name: z.string(rule("must be a string")),
  tag: z.optional(z.string(rule("must be a string"))),
});

/** NewPlant (interface §2). The id is a number as `parseExactJson` leaves it. */
export const NewPlant = z.extend(Plant, {
  id: z.custom<number | bigint>(
    (value) => typeof value === "bigint" || Number.isSafeInteger(value),
    rule("must be an int64 integer"),
  ),
});
export type NewPlant = z.infer<typeof NewPlant>;

/**
 * Stores a plant under its id in decimal, in place of the one that may be there (KV's
 * last write wins), and returns the JSON text stored.
 *
 * @throws {ServiceFailure} `store_failed` when KV refuses; storing again is safe
 */
export async function storePlant(
  plants: KVNamespace,
  { id, name, tag }: NewPlant,
): Promise<string> {
  const key = String(id);
  const plant = JSON.stringify({ name, tag });
  try {
    await plants.put(key, plant);
  } catch (error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    throw new ServiceFailure("store_failed", cause, key);
  }
  return plant;
}
