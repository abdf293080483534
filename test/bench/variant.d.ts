/** V8 defines it with --expose-gc. */
declare function gc(): void;

/** The bundled Worker: workerd.js adds it to the driver under this name. */
declare module "variant" {
	const worker: {
		fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
	};
	export default worker;
}
