// Runs inside workerd beside one contestant: makes requests, has them answered, and
// checks every answer. The clock is outside, since time stands still in here.
import { env, withEnv } from "cloudflare:workers";
import contestant from "contestant";

interface Sample {
	body: Uint8Array;
	/** The text that must be both answered and stored. */
	plant: string;
	key: string;
}

const encoder = new TextEncoder();

/** In-memory, so that a create costs what the Worker's own code costs. */
const store = {
	reads: 0,
	writes: 0,
	key: "",
	value: "",
	async put(key: string, value: string): Promise<void> {
		store.writes++;
		store.key = key;
		store.value = value;
	},
	async get(): Promise<null> {
		store.reads++;
		return null;
	},
};

/** Several ids and names of one length, so that no cache of V8 knows the answer. */
function samples(nameBytes: number, count: number): Sample[] {
	return Array.from({ length: count }, (_, index) => {
		const id = 1_000_003 * (index + 1);
		const name = `${index % 10}${"Monstera ".repeat(nameBytes / 9 + 1)}`.slice(
			0,
			nameBytes,
		);
		const plant = { name, tag: "climber" };
		const body = encoder.encode(JSON.stringify({ id, ...plant }));
		return { body, plant: JSON.stringify(plant), key: String(id) };
	});
}

const noNewPlant = {
	body: encoder.encode('{"id":"seven","tag":"climber"}'),
	plant: "",
	key: "",
};

const figures: Record<
	string,
	{ status: number; token?: string; prepare: () => Sample[] }
> = {
	create: { status: 200, prepare: () => samples(10, 32) },
	"1 KB": { status: 200, prepare: () => samples(1_000, 32) },
	"100 KB": { status: 200, prepare: () => samples(100_000, 4) },
	"900 KB": { status: 200, prepare: () => samples(900_000, 2) },
	"a 401": {
		status: 401,
		token: "wrong-token",
		prepare: () => samples(10, 32),
	},
	"a 400": { status: 400, prepare: () => [noNewPlant] },
};

const prepared = new Map<string, Sample[]>();

let knownRefusal = "";

/** Parses a text once only: every time would be paid by every contestant. */
function isErrorBody(text: string): boolean {
	if (text === knownRefusal) return true;
	const { error, message } = JSON.parse(text) as {
		error?: unknown;
		message?: unknown;
	};
	knownRefusal = text;
	return Number.isInteger(error) && typeof message === "string";
}

async function runBatch(
	name: string,
	count: number,
	ctx: ExecutionContext,
): Promise<void> {
	const figure = figures[name];
	if (!figure) throw new Error(`no figure ${name}`);
	const { status, token = env.ACCESS_TOKEN } = figure;
	const samples = prepared.get(name) ?? figure.prepare();
	prepared.set(name, samples);
	const bindings = {
		ACCESS_TOKEN: env.ACCESS_TOKEN,
		PLANTS: store,
	} as unknown as Env;
	for (let done = 0; done < count; done++) {
		const sample = samples[done % samples.length] as Sample;
		const writesBefore = store.writes;
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
		const response = await contestant.fetch(request, bindings, ctx);
		const text = await response.text();
		const writes = store.writes - writesBefore;
		const correct =
			status === 200
				? text === sample.plant &&
					writes === 1 &&
					store.key === sample.key &&
					store.value === sample.plant
				: isErrorBody(text) && writes === 0;
		if (response.status !== status || !correct) {
			throw new Error(
				`${name}: answered ${response.status} ${text.slice(0, 300)}, ${writes} writes`,
			);
		}
	}
}

export default {
	async fetch(request, _env, ctx) {
		const { searchParams } = new URL(request.url);
		const count = Number(searchParams.get("count"));
		if (count === 0) gc();
		store.reads = store.writes = 0;
		try {
			// Elysia takes its bindings from cloudflare:workers, so that is where the store must be.
			await withEnv({ ...env, PLANTS: store }, () =>
				runBatch(searchParams.get("figure") ?? "create", count, ctx),
			);
		} catch (error) {
			return new Response(String(error), { status: 500 });
		}
		return Response.json({ reads: store.reads, writes: store.writes });
	},
} satisfies ExportedHandler<Env>;
