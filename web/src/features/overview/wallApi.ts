import { useQuery } from "@tanstack/react-query";
import { client, intent, take } from "../../api/client";
import { touch, useRefresh } from "../../api/live";
import type { Schemas } from "../../api/types";

export type Wall = Schemas["Wall"];
export type WallScene = Schemas["WallScene"];
export type WallLink = Schemas["WallLink"];
export type WallStep = Schemas["WallStep"];

const read = (signal: AbortSignal, key?: string) =>
  take<Wall>(client.GET("/api/v1/wall", { signal, headers: key ? { Authorization: `Bearer ${key}` } : {} }));

/** The wall's figures within the console. */
export function useWall() {
  return useQuery({
    queryKey: ["wall"],
    queryFn: ({ signal }) => read(signal),
    refetchInterval: useRefresh(3_000),
  });
}

/**
 * The wall's figures on a screen that nobody touches: it asks every two seconds
 * for ever, whatever happened before, so it comes back by itself.
 */
export function useScreen(key: string | undefined) {
  return useQuery({
    queryKey: ["screen", key ?? ""],
    queryFn: ({ signal }) => read(signal, key),
    refetchInterval: 2_000,
    refetchIntervalInBackground: true,
    retry: false,
    gcTime: Infinity,
  });
}

/** The secret of a wall link stands behind the #, which browsers send to no server. */
export const keyOf = (hash: string): string | undefined =>
  new URLSearchParams(hash.replace(/^#/, "")).get("key") || undefined;

/** Makes a token that reads the wall and nothing else, and gives the address that holds it. */
export async function makeLink(link: {
  name: string;
  app: string;
  idc: string;
  life: string;
  reason: string;
}) {
  const token = await take<Schemas["TokenSecret"]>(
    client.POST("/api/v1/tokens", {
      params: { header: { "Idempotency-Key": intent() } },
      body: {
        name: link.name,
        grants: [{ role: "viewer", app: link.app, idc: link.idc, verb: "wall" }],
        for: link.life,
        reason: link.reason,
      },
    }),
  );
  touch("tokens");
  return `${location.origin}/wall#key=${encodeURIComponent(token.secret ?? "")}`;
}

/** How far the actual RT is off its target; undefined without requests. */
export const off = (l: WallLink): number | undefined =>
  l.actual_ms < 0 || l.effective_ms <= 0 ? undefined : l.actual_ms / l.effective_ms - 1;

export type Health = "ok" | "warn" | "bad" | "silent";

/** In one word, so that a room sees where to look: a target missed by 15 % or timeouts above 2 % are bad. */
export function healthOf(l: WallLink): Health {
  const by = off(l);
  if (by === undefined) return "silent";
  if (by > 0.15 || l.timeouts > 0.02) return "bad";
  return by > 0.05 || l.timeouts > 0.005 || l.step > 1 || l.cpu > 0.85 ? "warn" : "ok";
}

/** "3 h 07 min", "12 min 08 s": what a countdown shows. */
export function countdown(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  const two = (n: number) => String(n).padStart(2, "0");
  if (s >= 86_400) return `${Math.floor(s / 86_400)} d ${two(Math.floor((s % 86_400) / 3600))} h`;
  if (s >= 3600) return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
}

/** Where the picture stands in a minute: a slow round of eight places, so that no pixel burns in. */
export function shiftAt(ms: number): { x: number; y: number } {
  const places = [
    [0, 0],
    [8, 0],
    [16, 4],
    [16, 12],
    [8, 16],
    [0, 16],
    [-8, 12],
    [-8, 4],
  ] as const;
  const [x, y] = places[Math.floor(ms / 60_000) % places.length]!;
  return { x, y };
}

/** How much larger figures are when few are on the screen: they are read from across the room. */
export const sizeOf = (links: number): number => (links <= 2 ? 1.6 : links <= 4 ? 1.2 : links <= 8 ? 1.1 : 1);
