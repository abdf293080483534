/** The bundled Worker: workerd.ts adds it to the driver under this name. */
declare module "variant" {
	const worker: {
		fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
	};
	export default worker;
}
