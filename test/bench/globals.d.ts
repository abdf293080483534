/** The built Worker under test: measure.ts puts it beside the driver under this name. */
declare module "contestant" {
	const worker: {
		fetch(request: Request, env: Env, ctx: ExecutionContext): Promise<Response>;
	};
	export default worker;
}

/** Given by V8's --expose-gc. */
declare function gc(): void;
