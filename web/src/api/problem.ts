/** One wrong place, as Go's gear.Problem and the browser's own type check name it. */
export interface Place {
  path: string;
  code: string;
  message: string;
  line?: number; // in the document sent, from 1
  column?: number;
}

/** An RFC 9457 problem as the server sends it. */
export interface ProblemBody {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  code?: string;
  request_id?: string;
  errors?: Partial<Place>[] | null;
  conflict?: { base?: unknown; mine?: unknown; theirs?: unknown; etag?: string };
}

/** What every failed call throws: enough to show, to act on and to report. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly places: Place[];
  readonly body: ProblemBody;

  constructor(status: number, body: ProblemBody, requestId: string) {
    super(body.detail || body.title || (status ? `HTTP ${status}` : "network"));
    this.name = "Problem";
    this.status = status;
    this.code = body.code ?? codeOf(status);
    this.requestId = body.request_id ?? requestId;
    this.body = body;
    this.places = placesOf(body);
  }
}

function codeOf(status: number): string {
  switch (status) {
    case 0:
      return "offline";
    case 401:
      return "unauthorized";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 409:
    case 412:
      return "stale";
    case 429:
      return "rate_limited";
    case 503:
      return "unavailable";
    default:
      return status >= 500 ? "internal" : "invalid";
  }
}

function placesOf(body: ProblemBody): Place[] {
  return (body.errors ?? []).map((p) => ({
    path: p.path ?? "",
    code: p.code ?? "invalid",
    message: p.message ?? "",
    ...(p.line && { line: p.line, column: p.column ?? 1 }),
  }));
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, { detail: error instanceof Error ? error.message : String(error) }, "");
}

/** Reads the problem out of an answer that was not 2xx, whatever its body is. */
export function problemFrom(response: Response, body: unknown): Problem {
  const requestId = response.headers.get("X-Request-Id") ?? "";
  const usable = typeof body === "object" && body !== null ? (body as ProblemBody) : {};
  return new Problem(response.status, usable, requestId);
}
