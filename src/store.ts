import { ServiceError } from "./error";
import type { NewPlant } from "./plant";

/**
 * Stores a plant in the KV namespace and returns the stored JSON text, a Plant.
 *
 * The key is the id in decimal. A plant with the same id is replaced: the last write wins.
 *
 * @throws {ServiceError} 503 `store_failed` with `Retry-After` (RFC 9110 §10.2.3) when KV
 *   fails. The plant may or may not be stored: store it again.
 */
export async function storePlant(
	plants: KVNamespace,
	{ id, ...plant }: NewPlant,
): Promise<string> {
	const key = String(id);
	const value = JSON.stringify(plant);
	try {
		await plants.put(key, value);
	} catch (cause) {
		const res = new Response(
			"The plant could not be stored. Send the same request again.",
			{ headers: { "Retry-After": "1" } },
		);
		throw new ServiceError("store_failed", { status: 503, res, cause }, key);
	}
	return value;
}
