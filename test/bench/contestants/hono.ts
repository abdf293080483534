// https://hono.dev: the middleware and the validator that its guides use.
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { bearerAuth } from "hono/bearer-auth";
import * as z from "zod";

const NewPlant = z.object({
	id: z.int(),
	name: z.string(),
	tag: z.string().optional(),
});

const app = new Hono<{ Bindings: Env }>();

app.use((c, next) => {
	const unauthorized = { message: { error: 401, message: "Unauthorized" } };
	const authenticate = bearerAuth<{ Bindings: Env }>({
		token: c.env.ACCESS_TOKEN,
		noAuthenticationHeader: unauthorized,
		invalidToken: unauthorized,
	});
	return authenticate(c, next);
});

app.post(
	"/plants",
	zValidator("json", NewPlant, (result, c) => {
		if (!result.success) {
			return c.json(
				{ error: 400, message: z.prettifyError(result.error) },
				400,
			);
		}
	}),
	async (c) => {
		const { id, ...plant } = c.req.valid("json");
		await c.env.PLANTS.put(String(id), JSON.stringify(plant));
		return c.json(plant);
	},
);

app.notFound((c) => c.json({ error: 404, message: "Not Found" }, 404));

export default app;
