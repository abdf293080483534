// Compiles when the types that openapi-typescript makes of the description are those
// that a client wants.
import type { paths } from "./openapi";

type Create = paths["/plants"]["post"];
type NewPlant = Create["requestBody"]["content"]["application/json"];
type Plant = Create["responses"][200]["content"]["application/json"];
type Fault = Create["responses"][400]["content"]["application/json"];

export const newPlant: NewPlant = { id: 42, name: "Monstera", tag: "indoor" };
export const untagged: Plant = { name: "Ficus" };
export const tag: string | undefined = untagged.tag;
export const fault: Fault = { error: 422, message: "id is required" };

// @ts-expect-error A NewPlant has an id.
export const withoutId: NewPlant = { name: "Ficus" };
// @ts-expect-error A Plant has no id.
export const withId: Plant = { id: 42, name: "Ficus" };
