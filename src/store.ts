import type * as z from "zod/mini";
import { ServiceError } from "./error";
import type { NewPlant } from "./plant";

/**
 * Stores a plant in the KV namespace and returns the stored JSON text, a Plant.
 *
 * The key is the id in decimal. A plant with the same id is replaced: the last write wins.
 *
 * @throws {ServiceError} `store_failed` when KV fails. It is safe to store the plant again.
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
		throw new ServiceError("store_failed", error, key);
	}
	return plant;
}
