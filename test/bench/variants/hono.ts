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

const message = { error: 401, message: "Unauthorized" };
const errors = {
	noAuthenticationHeader: { message },
	invalidToken: { message },
};
app.use((c, next) => {
	const token = c.env.ACCESS_TOKEN;
	return bearerAuth<{ Bindings: Env }>({ token, ...errors })(c, next);
});

app.post(
	"/plants",
	zValidator("json", NewPlant, (result, c) => {
		if (!result.success) {
			const message = z.prettifyError(result.error);
			return c.json({ error: 400, message }, 400);
		}
	}),
	async (c) => {
		const { id, ...plant } = c.req.valid("json");
		await c.env.PLANTS.put(String(id), JSON.stringify(plant));
		return c.json(plant);
	},
);

export default app;
