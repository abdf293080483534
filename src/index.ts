import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono/tiny";
import { getPath } from "hono/utils/url";
import { authenticate } from "./authentication";
import { answerFailure, errorAnswer } from "./error";
import { readJsonBody } from "./json-body";
import openapi from "./openapi.json";
import { NewPlant, refuseInvalid, storePlant } from "./plant";

const app = new Hono<{ Bindings: Env }>({
	// Hono's smallest router ignores a slash at the end; doubled, it matches no route.
	getPath: (request) => getPath(request).replace(/\/$/, "//"),
});

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
		return new Response(plant, {
			headers: { "Content-Type": "application/json" },
		});
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
