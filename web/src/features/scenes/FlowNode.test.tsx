import { render } from "@testing-library/react";
import { ReactFlowProvider, type NodeProps } from "@xyflow/react";
import { MemoryRouter } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { Box, type Shown } from "./FlowNode";
import { sourceName } from "./format";
import { Finding, Live, secondOf } from "./live";
import type { SceneLinkNode } from "./types";

vi.mock("./format", async (original) => {
  const real = await original<typeof import("./format")>();
  return { ...real, sourceName: vi.fn(real.sourceName) };
});
// What stands in a box asks once for the name of its source each time it is drawn.
const drawn = vi.mocked(sourceName);
beforeEach(() => {
  drawn.mockClear();
});

const ids = ["sn/recall", "sn/rank"];
const placeOf = (id: string) => ({ app: "sn", point: id.slice(3) });
const shown = ids.map((id) => ({ id, data: { node: { id, place: placeOf(id) }, down: false } }));
const boxes = (
  <MemoryRouter>
    <ReactFlowProvider>
      {shown.map((x) => (
        <Box key={x.id} {...(x as unknown as NodeProps<Shown>)} />
      ))}
    </ReactFlowProvider>
  </MemoryRouter>
);
/** One second, in which the nodes had these RTs. */
const second = (...rts: number[]) =>
  secondOf(
    ids.map((id, i) => ({
      id,
      place: placeOf(id),
      level: 3,
      recent: { count: 9, level_mean: 3, rt_mean_ms: rts[i], timeouts: 0, qps: 9 } as SceneLinkNode["recent"],
    })),
  );
const picture = (find: string, now = second(5, 7)) => (
  <Finding value={find}>
    <Live value={now}>{boxes}</Live>
  </Finding>
);

it("shows what is looked for without drawing again what stands in the boxes", () => {
  const now = second(5, 7);
  const { container, rerender } = render(picture("", now));
  const looks = (find: string) => {
    rerender(picture(find, now));
    return [...container.querySelectorAll(".scene-node")].map((e) =>
      e.className.replace("scene-node", "").trim(),
    );
  };
  expect(looks("")).toEqual(["", ""]);
  expect(looks("rec")).toEqual(["found", "faded"]);
  expect(looks("r")).toEqual(["found", "found"]);
  expect(looks("nothing")).toEqual(["faded", "faded"]);
  expect(looks(" ")).toEqual(["", ""]);
  expect(drawn).toHaveBeenCalledTimes(2);
});

it("draws again only the boxes whose text a second changed", () => {
  const { container, rerender } = render(picture("", second(5, 7)));
  drawn.mockClear();
  rerender(picture("", second(5.001, 7))); // both still say the same
  expect(drawn).not.toHaveBeenCalled();
  rerender(picture("", second(5, 7.5)));
  expect(drawn).toHaveBeenCalledTimes(1);
  expect([...container.querySelectorAll("dd:nth-of-type(2)")].map((e) => e.textContent)).toEqual([
    "5.00 ms",
    "7.50 ms",
  ]);
});
