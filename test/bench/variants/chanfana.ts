// https://chanfana.pages.dev: an endpoint class on Hono, with the middleware of its guide.
import { contentJson, fromHono, OpenAPIRoute } from "chanfana";
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";

const Plant = z.object({ name: z.string(), tag: z.string().optional() });

class CreatePlant extends OpenAPIRoute {
	override schema = {
		request: { body: contentJson(Plant.extend({ id: z.int() })) },
		responses: { "200": { description: "The plant", ...contentJson(Plant) } },
	};

	override async handle(c: Context<{ Bindings: Env }>) {
		const { body } = await this.getValidatedData<typeof this.schema>();
		const { id, ...plant } = body;
		await c.env.PLANTS.put(String(id), JSON.stringify(plant));
		return c.json(plant);
	}
}

const app = new Hono<{ Bindings: Env }>();

app.use(async (c, next) => {
	if (c.req.header("Authorization") !== `Bearer ${c.env.ACCESS_TOKEN}`) {
		return c.json({ error: 401, message: "Unauthorized" }, 401);
	}
	await next();
});

app.onError((error, c) => {
	const status = error instanceof HTTPException ? error.status : 500;
	return c.json({ error: status, message: error.message }, status);
});

fromHono(app).post("/plants", CreatePlant);

export default app;
