import { ServiceError } from "./error";
import type { NewPlant } from "./plant";

/**
 * Stores a plant in the KV namespace and returns the stored JSON text, a Plant.
 *
 * The key is the id in decimal. A plant with the same id is replaced: the last write wins.
 *
 * @throws {ServiceError} 503 `store_failed` with `Retry-After` when KV fails. The plant may or
 *   may not be stored: store it again.
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
		throw new ServiceError("store_failed", {
			cause,
			id: key,
			status: 503,
			message: "KV failed. Send the plant again after Retry-After seconds.",
			retryAfter: secondsUntilRetry(cause),
		});
	}
	return value;
}

/** Returns the seconds after which KV may store the plant: the free plan's writes are spent until 00:00 UTC. */
function secondsUntilRetry(cause: unknown): number {
	const isSpent = String(cause).includes("limit exceeded for the day");
	const midnight = new Date().setUTCHours(24, 0, 0, 0);
	return isSpent ? Math.ceil((midnight - Date.now()) / 1000) : 1;
}
