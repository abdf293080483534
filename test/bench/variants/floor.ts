// The least code with these responses: no framework, no int64 and no further promise.

const errorResponse = (error: number, message: string, headers = {}) =>
	Response.json({ error, message }, { status: error, headers });

export default {
	async fetch(request, env) {
		if (request.headers.get("authorization") !== `Bearer ${env.ACCESS_TOKEN}`) {
			const headers = { "WWW-Authenticate": "Bearer" };
			return errorResponse(401, "Unauthorized", headers);
		}
		if (new URL(request.url).pathname !== "/plants")
			return errorResponse(404, "Not Found");
		if (request.method !== "POST")
			return errorResponse(405, "Method Not Allowed", { Allow: "POST" });
		let plant: { id?: unknown; name?: unknown; tag?: unknown } | null;
		try {
			plant = JSON.parse(await request.text());
		} catch {
			return errorResponse(400, "The body is not JSON");
		}
		const { id, name, tag } = plant ?? {};
		if (
			!Number.isSafeInteger(id) ||
			typeof name !== "string" ||
			(tag !== undefined && typeof tag !== "string")
		) {
			return errorResponse(400, "The body is not a NewPlant");
		}
		const stored = JSON.stringify({ name, tag });
		await env.PLANTS.put(String(id), stored);
		return new Response(stored, {
			headers: { "Content-Type": "application/json" },
		});
	},
} satisfies ExportedHandler<Env>;
