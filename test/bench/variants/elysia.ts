// @ts-nocheck: only npm run bench installs Elysia.
// https://elysiajs.com/integrations/cloudflare-worker
import { env } from "cloudflare:workers";
import { Elysia, t } from "elysia";
import { CloudflareAdapter } from "elysia/adapter/cloudflare-worker";

const NewPlant = t.Object({
	id: t.Integer(),
	name: t.String(),
	tag: t.Optional(t.String()),
});

const encoder = new TextEncoder();
const encode = (text) => encoder.encode(text);

export default new Elysia({ adapter: CloudflareAdapter })
	.onError(({ code, error, status }) => {
		if (code === "VALIDATION")
			return status(400, { error: 400, message: error.message });
	})
	.onRequest(({ request, status }) => {
		const received = encode(request.headers.get("authorization") ?? "");
		const expected = encode(`Bearer ${env.ACCESS_TOKEN}`);
		if (
			received.byteLength !== expected.byteLength ||
			!crypto.subtle.timingSafeEqual(received, expected)
		) {
			return status(401, { error: 401, message: "Unauthorized" });
		}
	})
	.post(
		"/plants",
		async ({ body: { id, ...plant } }) => {
			await env.PLANTS.put(String(id), JSON.stringify(plant));
			return plant;
		},
		{ body: NewPlant },
	)
	.compile();
