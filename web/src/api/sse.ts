/** One event of a text/event-stream. */
export interface StreamEvent {
  id: string;
  event: string;
  data: string;
}

/**
 * Parses a text/event-stream fed in arbitrary pieces. It keeps the last id, which
 * the caller sends back on reconnecting, and reports a retry hint if one came.
 */
export class EventParser {
  lastId = "";
  retry: number | undefined;
  private rest = "";
  private id = "";
  private event = "";
  private data: string[] = [];

  feed(chunk: string): StreamEvent[] {
    const out: StreamEvent[] = [];
    this.rest += chunk;
    // A CR at the very end may be the first half of CRLF: wait for what follows.
    let end: RegExpExecArray | null;
    const newline = /\r\n|\n|\r(?!$)/g;
    let from = 0;
    while ((end = newline.exec(this.rest))) {
      this.line(this.rest.slice(from, end.index), out);
      from = newline.lastIndex;
    }
    this.rest = this.rest.slice(from);
    return out;
  }

  private line(line: string, out: StreamEvent[]) {
    if (line === "") {
      if (this.data.length) {
        this.lastId = this.id;
        out.push({ id: this.id, event: this.event || "message", data: this.data.join("\n") });
      }
      this.event = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return; // comment: a heartbeat
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }
}

/** Full-jitter back-off in ms: 0.5 s doubling to 15 s, so that a restarted server is not met by all browsers at once. */
export function backoff(attempt: number, random: () => number = Math.random): number {
  const cap = Math.min(15_000, 500 * 2 ** Math.min(attempt, 10));
  return 250 + random() * cap;
}

export interface StreamHandlers {
  onOpen(): void;
  onBeat(): void; // anything arrived, heartbeats included
  onEvent(event: StreamEvent): void;
  onLost(): void;
  onUnauthorized(): void;
}

/**
 * Follows one event stream until stopped: reconnects with Last-Event-ID, gives a
 * stream up that was silent for silenceMs, and stops at 401. fetch instead of
 * EventSource, which hides the status and the heartbeats.
 */
export function follow(url: string, handlers: StreamHandlers, silenceMs = 40_000, call = fetch): () => void {
  const stop = new AbortController();
  const parser = { lastId: "" };
  let attempt = 0;

  const once = async () => {
    const abort = new AbortController();
    const onStop = () => abort.abort();
    stop.signal.addEventListener("abort", onStop);
    let watchdog: ReturnType<typeof setTimeout> | undefined;
    const beat = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => abort.abort(), silenceMs);
    };
    try {
      beat();
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (parser.lastId) headers["Last-Event-ID"] = parser.lastId;
      const response = await call(url, {
        headers,
        signal: abort.signal,
        credentials: "same-origin",
        cache: "no-store",
      });
      if (response.status === 401) {
        handlers.onUnauthorized();
        stop.abort();
        return;
      }
      if (!response.ok || !response.body) throw new Error(`stream answered ${response.status}`);
      attempt = 0;
      handlers.onOpen();
      const events = new EventParser();
      events.lastId = parser.lastId;
      const reader = response.body.getReader();
      const text = new TextDecoder();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        beat();
        handlers.onBeat();
        for (const e of events.feed(text.decode(value, { stream: true }))) {
          if (e.id) parser.lastId = e.id;
          handlers.onEvent(e);
        }
      }
    } finally {
      clearTimeout(watchdog);
      stop.signal.removeEventListener("abort", onStop);
    }
  };

  void (async () => {
    while (!stop.signal.aborted) {
      try {
        await once();
      } catch {
        // Lost or refused: either way the next attempt decides.
      }
      if (stop.signal.aborted) return;
      handlers.onLost();
      await new Promise((r) => setTimeout(r, backoff(attempt++)));
    }
  })();
  return () => stop.abort();
}
