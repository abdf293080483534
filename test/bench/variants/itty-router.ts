// https://itty.dev/itty-router: AutoRouter with its middleware, and Zod to validate.
import { AutoRouter, error, type IRequest, withContent } from "itty-router";
import * as z from "zod";

const NewPlant = z.object({
	id: z.int(),
	name: z.string(),
	tag: z.string().optional(),
});

const authenticate = (request: IRequest, env: Env) => {
	if (request.headers.get("authorization") !== `Bearer ${env.ACCESS_TOKEN}`) {
		return error(401, { error: 401, message: "Unauthorized" });
	}
};

const router = AutoRouter({ before: [authenticate] });

router.post("/plants", withContent, async ({ content }: IRequest, env: Env) => {
	const result = NewPlant.safeParse(content);
	if (!result.success) {
		const message = z.prettifyError(result.error);
		return error(400, { error: 400, message });
	}
	const { id, ...plant } = result.data;
	await env.PLANTS.put(String(id), JSON.stringify(plant));
	return plant;
});

export default router;
