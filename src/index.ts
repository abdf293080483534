import { zValidator } from "@hono/zod-validator";
import { HonoBase as Hono } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import { authenticate } from "./authentication";
import { answerFailure, errorAnswer } from "./error";
import { readJsonBody } from "./json-body";
import openapi from "./openapi.json";
import { NewPlant, refuseInvalid, storePlant } from "./plant";

const app = new Hono<{ Bindings: Env }>({ router: new TrieRouter() });

app.get("/openapi.json", (c) => c.json(openapi));
app.all("/openapi.json", () =>
	errorAnswer(405, "Send a GET request.", { Allow: "GET, HEAD" }),
);

app.use(authenticate);

app.post(
	"/plants",
	readJsonBody,
	zValidator("json", NewPlant, refuseInvalid),
	async (c) => {
		const plant = await storePlant(c.env.PLANTS, c.req.valid("json"));
		return c.body(plant, 200, { "Content-Type": "application/json" });
	},
);
app.all("/plants", () =>
	errorAnswer(405, "Send a POST request.", { Allow: "POST" }),
);

app.notFound(() =>
	errorAnswer(404, "Nothing is at this path; send a POST request to /plants."),
);

app.onError(answerFailure);

export default app;
