import { ReactFlowProvider, type NodeProps } from "@xyflow/react";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { MemoryRouter } from "react-router";
import { expect, it, vi } from "vitest";
import { Box, Finding, type Shown } from "./FlowNode";
import { late } from "./format";

vi.mock("./format", async (original) => {
  const real = await original<typeof import("./format")>();
  return { ...real, late: vi.fn(real.late) };
});

const dataOf = (id: string): Shown["data"] => ({
  node: { id, place: { app: "sn", point: id.slice(3) } },
  down: false,
  live: { id, place: { app: "sn", point: id.slice(3) }, level: 3 },
});
const all = ["sn/recall", "sn/rank"].map((id) => ({ id, data: dataOf(id) }));

it("shows what is looked for without drawing again what stands in the boxes", () => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  const box = document.createElement("div");
  const root = createRoot(box);
  const boxes = (
    <MemoryRouter>
      <ReactFlowProvider>
        {all.map((x) => (
          <Box key={x.id} {...(x as unknown as NodeProps<Shown>)} />
        ))}
      </ReactFlowProvider>
    </MemoryRouter>
  );
  const looks = (find: string) => {
    act(() => root.render(<Finding value={find}>{boxes}</Finding>));
    return [...box.querySelectorAll(".scene-node")].map((e) => e.className.replace("scene-node", "").trim());
  };
  expect(looks("")).toEqual(["", ""]);
  const drawn = vi.mocked(late).mock.calls.length; // each box asks once for its share of timeouts
  expect(drawn).toBe(2);
  expect(looks("rec")).toEqual(["found", "faded"]);
  expect(looks("r")).toEqual(["found", "found"]);
  expect(looks("nothing")).toEqual(["faded", "faded"]);
  expect(looks(" ")).toEqual(["", ""]);
  expect(vi.mocked(late).mock.calls.length).toBe(drawn);
  act(() => root.unmount());
});
