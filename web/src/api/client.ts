import createClient from "openapi-fetch";
import { leave } from "./glass";
import { Problem, problemFrom } from "./problem";
import type { paths } from "./schema";

let signedOut: () => void = () => {};

/** Says what to do when a call answers 401. */
export function onSignedOut(fn: () => void) {
  signedOut = fn;
}

/** The client generated from the server's OpenAPI document. */
export const client = createClient<paths>({
  baseUrl: "",
  credentials: "same-origin",
  // Looked up at call time, so that tests may put their own in place.
  fetch: (request) => {
    const glass = request.method === "GET" ? undefined : leave();
    if (glass) request.headers.set("Break-Glass", glass.id);
    return globalThis.fetch(request);
  },
});

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/**
 * Unwraps an answer of the client: data, or a Problem thrown. A call that never
 * reached the server is a Problem of status 0.
 */
export async function take<T>(call: Promise<Answer<T>>): Promise<NonNullable<T>> {
  return (await takeWithTag(call)).data;
}

/** Like take, with the ETag the next write must send as If-Match. */
export async function takeWithTag<T>(
  call: Promise<Answer<T>>,
): Promise<{ data: NonNullable<T>; etag: string }> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(0, { detail: error instanceof Error ? error.message : "" }, "");
  }
  const { response } = answer;
  if (!response.ok) {
    if (response.status === 401) signedOut();
    throw problemFrom(response, answer.error);
  }
  return { data: (answer.data ?? {}) as NonNullable<T>, etag: response.headers.get("ETag") ?? "" };
}

/** A key that makes a retry of the same intent a no-op on the server. */
export function intent(): string {
  return crypto.randomUUID();
}
