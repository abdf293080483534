// Runs in workerd beside the variant: sends it requests and checks each response.
// The clock is outside, since time does not advance while a Worker runs.
import { env, withEnv } from "cloudflare:workers";
import variant from "variant";

/** @type {{ key: string, value: string }[]} */
let writes = [];
/** A KV namespace in memory, so that only the code of the variant costs time. */
const PLANTS = /** @type {KVNamespace} */ ({
	async put(key, value) {
		writes.push({ key, value: String(value) });
	},
});
const bindings = { ...env, PLANTS };

/** @typedef {ReturnType<typeof createSamples>[number]} Sample */
/** @type {Map<string, Sample[]>} */
const samples = new Map();
const encoder = new TextEncoder();

/**
 * Makes plants with several ids and names of one length, so that V8 cannot cache a result.
 * @param {Batch} batch
 */
function createSamples({ status, nameLength }) {
	return Array.from({ length: nameLength > 1000 ? 2 : 32 }, (_, index) => {
		const id = 1_000_003 * (index + 1);
		const name = String(index).padEnd(nameLength, "Monstera ");
		const plant = { name, tag: "climber" };
		const invalid = { id: "seven", tag: "climber" };
		const json = JSON.stringify(status === 400 ? invalid : { id, ...plant });
		const value = JSON.stringify(plant);
		return { body: encoder.encode(json), key: String(id), value };
	});
}

/**
 * Throws when the response or the write is not that of the sample.
 * @param {Sample} sample
 * @param {number} status
 * @param {ExecutionContext} ctx
 */
async function send(sample, status, ctx) {
	writes = [];
	const token = status === 401 ? "wrong-token" : env.ACCESS_TOKEN;
	const request = new Request("https://plants.example/plants", {
		method: "POST",
		headers: {
			Accept: "*/*",
			Authorization: `Bearer ${token}`,
			"Content-Length": String(sample.body.byteLength),
			"Content-Type": "application/json",
			"User-Agent": "bench/1",
		},
		body: sample.body,
	});
	const response = await variant.fetch(request, bindings, ctx);
	const text = await response.text();
	const [write] = writes;
	const isCorrect =
		status === 200
			? text === sample.value &&
				writes.length === 1 &&
				write?.key === sample.key &&
				write.value === sample.value
			: /"error":\d/.test(text) && writes.length === 0;
	if (response.status !== status || !isCorrect) {
		const got = JSON.stringify([response.status, text, writes]).slice(0, 600);
		const { key, value } = sample;
		throw new Error(`expected ${status} ${key} ${value}, got ${got}`);
	}
}

export default /** @satisfies {ExportedHandler<Env>} */ ({
	async fetch(request, _env, ctx) {
		const batch = /** @type {Batch} */ (await request.json());
		const type = `${batch.status} ${batch.nameLength}`;
		const prepared = samples.get(type) ?? createSamples(batch);
		samples.set(type, prepared);
		if (batch.count === 0) gc();
		// Elysia reads its bindings from cloudflare:workers.
		await withEnv(bindings, async () => {
			for (let sent = 0; sent < batch.count; sent++) {
				const sample = prepared[sent % prepared.length];
				if (sample) await send(sample, batch.status, ctx);
			}
		});
		return new Response();
	},
});
