import app from "./app";

// Only fetch: over a service binding, another Worker can call each method of this object.
export default { fetch: app.fetch } satisfies ExportedHandler<Env>;
