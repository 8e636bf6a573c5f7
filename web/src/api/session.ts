import { useQuery } from "@tanstack/react-query";
import { client, take } from "./client";
import type { Me } from "./types";

export function useMe() {
  return useQuery({
    queryKey: ["me"],
    queryFn: ({ signal }) => take<Me>(client.GET("/api/v1/me", { signal })),
    staleTime: 60_000,
  });
}

/**
 * Whether some grant covers the verb. It only decides which buttons are offered:
 * the server checks every call by app and IDC.
 */
export function useCan(verb: string): boolean {
  const { data } = useMe();
  return data?.verbs?.includes(verb) ?? false;
}
