// The least that answers as the interface says: no framework, no promise beyond it.

const refusal = (
	status: number,
	message: string,
	headers?: Record<string, string>,
) =>
	Response.json(
		{ error: status, message },
		{ status, ...(headers && { headers }) },
	);

export default {
	async fetch(request, env) {
		if (request.headers.get("authorization") !== `Bearer ${env.ACCESS_TOKEN}`) {
			return refusal(401, "Unauthorized", { "WWW-Authenticate": "Bearer" });
		}
		if (new URL(request.url).pathname !== "/plants")
			return refusal(404, "Not Found");
		if (request.method !== "POST")
			return refusal(405, "Method Not Allowed", { Allow: "POST" });
		let plant: { id?: unknown; name?: unknown; tag?: unknown } | null;
		try {
			plant = JSON.parse(await request.text());
		} catch {
			return refusal(400, "The body is not JSON");
		}
		const { id, name, tag } = plant ?? {};
		if (
			!Number.isSafeInteger(id) ||
			typeof name !== "string" ||
			(tag !== undefined && typeof tag !== "string")
		) {
			return refusal(400, "The body is no NewPlant");
		}
		const stored = JSON.stringify({ name, tag });
		await env.PLANTS.put(String(id), stored);
		return new Response(stored, {
			headers: { "Content-Type": "application/json" },
		});
	},
} satisfies ExportedHandler<Env>;
