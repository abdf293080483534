import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono/tiny";
import { authenticate } from "./authentication";
import { answerFailure, errorAnswer } from "./error";
import { readExactJson } from "./exact-json";
import { NewPlant, storePlant } from "./plant";

const app = new Hono<{ Bindings: Env }>();

app.use(authenticate);

app.post(
  "/plants",
  readExactJson,
  zValidator("json", NewPlant, (result) => {
    if (result.success) return;
    const faults = result.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
    return errorAnswer(422, faults.join("; "));
  }),
  async (c) => {
    const plant = await storePlant(c.env.PLANTS, c.req.valid("json"));
    return c.body(plant, 200, { "Content-Type": "application/json" });
  },
);

app.all("/plants", () => errorAnswer(405, "Send a POST request.", { Allow: "POST" }));

app.notFound(() => errorAnswer(404, "There is nothing at this path; POST to /plants."));

app.onError(answerFailure);

export default app;
