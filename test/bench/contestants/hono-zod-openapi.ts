// https://github.com/honojs/middleware/tree/main/packages/zod-openapi
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { bearerAuth } from "hono/bearer-auth";

const Plant = z
	.object({ name: z.string(), tag: z.string().optional() })
	.openapi("Plant");
const NewPlant = Plant.extend({ id: z.int() }).openapi("NewPlant");
const Fault = z
	.object({ error: z.int(), message: z.string() })
	.openapi("Error");

const createPlant = createRoute({
	method: "post",
	path: "/plants",
	security: [{ bearerAuth: [] }],
	request: {
		body: {
			required: true,
			content: { "application/json": { schema: NewPlant } },
		},
	},
	responses: {
		200: {
			description: "The plant",
			content: { "application/json": { schema: Plant } },
		},
		400: {
			description: "A fault",
			content: { "application/json": { schema: Fault } },
		},
	},
});

const app = new OpenAPIHono<{ Bindings: Env }>({
	defaultHook: (result, c) => {
		if (!result.success) {
			return c.json(
				{ error: 400, message: z.prettifyError(result.error) },
				400,
			);
		}
	},
});

app.openAPIRegistry.registerComponent("securitySchemes", "bearerAuth", {
	type: "http",
	scheme: "bearer",
});

app.use((c, next) => {
	const unauthorized = { message: { error: 401, message: "Unauthorized" } };
	const authenticate = bearerAuth<{ Bindings: Env }>({
		token: c.env.ACCESS_TOKEN,
		noAuthenticationHeader: unauthorized,
		invalidToken: unauthorized,
	});
	return authenticate(c, next);
});

app.openapi(createPlant, async (c) => {
	const { id, ...plant } = c.req.valid("json");
	await c.env.PLANTS.put(String(id), JSON.stringify(plant));
	return c.json(plant, 200);
});

export default app;
