import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { client, take } from "../api/client";
import { queryClient, useRefresh } from "../api/live";
import { Problem } from "../api/problem";
import { useCan } from "../api/session";
import type { Demo } from "../api/types";

const key = ["demo"];

/** The sample engine's load as a live control; nothing where no sample engine runs. */
export function DemoLoad() {
  const { t } = useTranslation();
  const may = useCan("settings");
  const refetchInterval = useRefresh(5_000);
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      take<Demo>(client.GET("/api/v1/demo", { signal })).catch((e: unknown) => {
        if (e instanceof Problem && e.status === 404) return null;
        throw e;
      }),
    refetchInterval: (q) => (q.state.data === null ? false : refetchInterval),
  });
  const set = useMutation({
    mutationFn: (rate: number) => take<Demo>(client.PUT("/api/v1/demo", { body: { rate } })),
    onSuccess: (d) => queryClient.setQueryData(key, d),
  });
  const demo = query.data;
  if (!demo) return null;
  const rates = [...new Set([10, 20, 40, 60, 80, 120, 160, demo.rate])].sort((a, b) => a - b);
  return (
    <label className="row soft" title={t("ui.demo.hint")}>
      {t("ui.demo.load")}
      <select
        className="native"
        aria-label={t("ui.demo.load")}
        value={demo.rate}
        disabled={!may || set.isPending}
        onChange={(e) => set.mutate(Number(e.target.value))}
      >
        {rates.map((r) => (
          <option key={r} value={r}>
            {t("ui.demo.rate", { rate: r })}
          </option>
        ))}
      </select>
    </label>
  );
}
