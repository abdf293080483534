// https://github.com/honojs/middleware/tree/main/packages/zod-openapi
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { bearerAuth } from "hono/bearer-auth";

const Plant = z
	.object({ name: z.string(), tag: z.string().optional() })
	.openapi("Plant");
const NewPlant = Plant.extend({ id: z.int() }).openapi("NewPlant");

const json = <T>(schema: T) => ({
	content: { "application/json": { schema } },
});

const createPlant = createRoute({
	method: "post",
	path: "/plants",
	request: { body: { required: true, ...json(NewPlant) } },
	responses: { 200: { description: "The plant", ...json(Plant) } },
});

const app = new OpenAPIHono<{ Bindings: Env }>({
	defaultHook: (result, c) => {
		if (!result.success) {
			const message = z.prettifyError(result.error);
			return c.json({ error: 400, message }, 400);
		}
	},
});

const message = { error: 401, message: "Unauthorized" };
const errors = {
	noAuthenticationHeader: { message },
	invalidToken: { message },
};
app.use((c, next) => {
	const token = c.env.ACCESS_TOKEN;
	return bearerAuth<{ Bindings: Env }>({ token, ...errors })(c, next);
});

app.openapi(createPlant, async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify(plant));
	return c.json(plant, 200);
});

export default app;
