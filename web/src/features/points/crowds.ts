import { useQuery } from "@tanstack/react-query";
import { client, take } from "../../api/client";
import { useRefresh } from "../../api/live";
import type { Crowd, Crowds, PointKey, RTBin } from "../../api/types";
import { idOf } from "./key";

export function useCrowds(key: PointKey) {
  return useQuery({
    queryKey: ["points", "crowds", idOf(key)],
    queryFn: ({ signal }) =>
      take<Crowds>(
        client.GET("/api/v1/points/{scene}/{idc}/{app}/{point}/crowds", {
          params: { path: { scene: key.scene, idc: key.idc, app: key.app, point: key.point } },
          signal,
        }),
      ),
    refetchInterval: useRefresh(2_000),
  });
}

/** A bar of a figure, in shares of its width and height. */
export interface Bar {
  x: number;
  width: number;
  height: number;
  over: boolean;
}

/** The share of requests that the axis may cut off at its slow end. */
const cutOff = 0.005;

/** Where the axis of a distribution ends: behind all but the slowest requests, and behind the setpoint. */
export function axisEnd(bins: readonly RTBin[], setpoint: number): number {
  const total = bins.reduce((n, b) => n + b.count, 0);
  let above = 0;
  let end = 0;
  for (let i = bins.length - 1; i >= 0; i--) {
    above += bins[i]!.count;
    if (above >= total * cutOff) {
      end = bins[i]!.high_ms;
      break;
    }
  }
  return Math.max(end, setpoint * 1.25, 0.1);
}

/** Bars whose area, not height, is the number of requests: bins widen with RT. */
export function barsOf(bins: readonly RTBin[], end: number, setpoint: number): Bar[] {
  const density = (b: RTBin) => b.count / Math.max(b.high_ms - b.low_ms, 1e-9);
  const shown = bins.filter((b) => b.low_ms < end);
  const most = Math.max(...shown.map(density), 1e-9);
  return shown.map((b) => ({
    x: b.low_ms / end,
    width: (Math.min(b.high_ms, end) - b.low_ms) / end,
    height: density(b) / most,
    over: setpoint > 0 && b.low_ms >= setpoint,
  }));
}

/** Round marks of an axis, at most n of them. */
export function marksOf(end: number, n = 6): number[] {
  const raw = end / n;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * size).find((s) => s >= raw)!;
  const out: number[] = [];
  for (let v = 0; v <= end + step * 1e-6; v += step) out.push(Math.round(v / step) * step);
  return out;
}

/** The crowds that had requests, each with its share of all. */
export function sharesOf(crowds: readonly Crowd[]): (Crowd & { share: number; next?: number })[] {
  const total = crowds.reduce((n, c) => n + c.count, 0);
  return crowds.map((c, i) => ({
    ...c,
    share: total ? c.count / total : 0,
    next: crowds[i + 1]?.edge_ms,
  }));
}
