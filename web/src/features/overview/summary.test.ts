import { expect, it } from "vitest";
import type { Agent, PointState } from "../../api/types";
import { summarise } from "./summary";

const metrics = { count: 0, qps: 0, rt_mean_ms: 0, timeouts: 0, errors: 0, shed: 0, level_mean: 0 };
const point = (app: string, recent: Partial<typeof metrics>, extra: Partial<PointState> = {}) =>
  ({
    app,
    idc: "sh",
    scene: "k2",
    point: "p",
    source: "template",
    recent: { ...metrics, ...recent },
    ...extra,
  }) as PointState;
const agent = (app: string, extra: Partial<Agent>) =>
  ({ app, idc: "sh", state: "connected", held: { epoch: 1, revision: 3 }, ...extra }) as Agent;

it("weighs RT by requests and counts only who is there", () => {
  const [a, b] = summarise(
    [
      point("a", { count: 100, qps: 10, rt_mean_ms: 10 }),
      point("a", { count: 300, qps: 30, rt_mean_ms: 30, timeouts: 4 }, { source: "manual" }),
      point("b", {}),
    ],
    [
      agent("a", { current: true }),
      agent("a", { current: false }),
      agent("a", { state: "disconnected", current: true }),
      agent("b", { held: { epoch: 0, revision: 0 } }),
    ],
  );
  expect(a).toMatchObject({
    app: "a",
    points: 2,
    qps: 40,
    rtMean: 25,
    lost: 0.01,
    overridden: 1,
    agents: 2,
    current: 1,
  });
  // Nothing to hold is not the same as holding nothing.
  expect(b).toMatchObject({ app: "b", rtMean: undefined, agents: 1, current: undefined });
});

it("counts at the floor what has levels to fall", () => {
  const order = (level: number, max: number) => ({ order: { level, min_level: 1, max_level: max } }) as never;
  const [a] = summarise(
    [
      point("a", {}, order(1, 10)),
      point("a", { count: 5, level_mean: 1 }, order(4, 10)),
      point("a", { count: 5, level_mean: 3 }, order(1, 10)),
      point("a", { count: 5, level_mean: 1 }, order(1, 1)), // a call
    ],
    [],
  );
  expect(a).toMatchObject({ points: 4, atFloor: 2 });
});
