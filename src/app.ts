import { zValidator } from "@hono/zod-validator";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import { authenticate } from "./authentication";
import { readJson } from "./body";
import { handleError } from "./error";
import { NewPlant, rejectInvalid } from "./plant";
import { storePlant } from "./store";

const app = new HonoBase<{ Bindings: Env }>({
	// Hono's own getPath decodes the path: /%70lants is then /plants, and 16 KB of %e0a take 1,500 times as long.
	getPath: (request) => new URL(request.url).pathname,
	// HonoBase has none. The first request builds Hono's default router: if it ended meanwhile, later ones would get 500.
	router: new TrieRouter(),
});

app.use(authenticate);

app.post(
	"/plants",
	readJson,
	zValidator("json", NewPlant, rejectInvalid),
	async (c) => {
		const json = await storePlant(c.env.PLANTS, c.req.valid("json"));
		return c.body(json, 200, { "Content-Type": "application/json" });
	},
);
app.all("/plants", (c) =>
	c.json({ error: 405, message: "Use POST." }, 405, { Allow: "POST" }),
);

app.notFound((c) =>
	c.json({ error: 404, message: "The path must be exactly /plants." }, 404),
);

app.onError(handleError);

export default app;
