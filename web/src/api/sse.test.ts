import { afterEach, describe, expect, it, vi } from "vitest";
import { backoff, EventParser, follow, type StreamEvent } from "./sse";

describe("the event parser", () => {
  it("reads events in any pieces, comments, CRLF and multi-line data", () => {
    const text = ': hi\r\nid: 7\r\nevent: change\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:x\n\nid: 8\n\n';
    for (let size = 1; size < text.length; size++) {
      const p = new EventParser();
      const out: StreamEvent[] = [];
      for (let i = 0; i < text.length; i += size) out.push(...p.feed(text.slice(i, i + size)));
      expect(out).toEqual([
        { id: "7", event: "change", data: '{"a":\n1}' },
        { id: "7", event: "message", data: "x" },
      ]);
    }
  });

  it("keeps an id for resuming only once its event is whole", () => {
    const p = new EventParser();
    p.feed("id: 1\ndata: a\n\nid: 2\ndata: half");
    expect(p.lastId).toBe("1");
  });
});

it("backs off with jitter, up to a bound", () => {
  expect(backoff(0, () => 0)).toBe(250);
  expect(backoff(3, () => 1)).toBe(250 + 4_000);
  expect(backoff(99, () => 1)).toBe(250 + 15_000);
});

describe("following a stream", () => {
  afterEach(() => vi.useRealTimers());

  const stream = (...chunks: string[]) =>
    new Response(
      new ReadableStream({
        start(c) {
          chunks.forEach((x) => c.enqueue(new TextEncoder().encode(x)));
          c.close();
        },
      }),
      { status: 200 },
    );

  it("resumes after the last whole event and stops at 401", async () => {
    vi.useFakeTimers();
    const asked: (string | undefined)[] = [];
    const answers = [
      stream("id: 41\nevent: change\ndata: 1\n\nid: 42\nda"),
      stream("id: 43\ndata: 2\n\n"),
      new Response("", { status: 401 }),
    ];
    const call = vi.fn((_: unknown, init?: RequestInit) => {
      asked.push((init!.headers as Record<string, string>)["Last-Event-ID"]);
      return Promise.resolve(answers.shift()!);
    });
    const got: string[] = [];
    const lost = vi.fn();
    const out = vi.fn();
    follow(
      "/events",
      { onOpen() {}, onBeat() {}, onEvent: (e) => got.push(e.id), onLost: lost, onUnauthorized: out },
      40_000,
      call,
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toEqual([undefined, "41", "43"]);
    expect(got).toEqual(["41", "43"]);
    expect(lost).toHaveBeenCalledTimes(2);
    expect(out).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(call).toHaveBeenCalledTimes(3);
  });

  it("gives up a silent stream", async () => {
    vi.useFakeTimers();
    const lost = vi.fn();
    const call = vi.fn(
      (_: unknown, init?: RequestInit) =>
        new Promise<Response>((_ok, fail) =>
          init!.signal!.addEventListener("abort", () => fail(new Error("aborted"))),
        ),
    );
    const stop = follow(
      "/events",
      { onOpen() {}, onBeat() {}, onEvent() {}, onLost: lost, onUnauthorized() {} },
      1_000,
      call,
    );
    await vi.advanceTimersByTimeAsync(999);
    expect(lost).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(lost).toHaveBeenCalledOnce();
    stop();
  });
});
