import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { byNumber, DataTable, type Column } from "../../ui/DataTable";
import { ms } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useComparison } from "./api";
import type { AllocationComparison } from "./types";

type Difference = AllocationComparison["items"][number];

/** Target by target where two tables differ: effect, work, and whose level moved. */
export function Comparison(props: { scene: string; from: number; to: number }) {
  const { t } = useTranslation();
  const query = useComparison(props.scene, props.from, props.to);
  const columns = useMemo<Column<Difference>[]>(
    () => [
      {
        key: "target",
        title: t("scenes.target"),
        num: true,
        render: (d) => (
          <>
            {ms(d.target_ms)}{" "}
            {(d.clamped_from || d.clamped_to) && <Tag tone="warn">{t("scenes.oneOnly")}</Tag>}
          </>
        ),
        sort: byNumber((d) => d.target_ms),
      },
      {
        key: "effect",
        title: t("scenes.effect"),
        num: true,
        render: (d) => `${d.effect_from.toFixed(4)} → ${d.effect_to.toFixed(4)}`,
        sort: byNumber((d) => d.effect_to - d.effect_from),
      },
      {
        key: "work",
        title: t("scenes.work"),
        num: true,
        render: (d) => `${ms(d.work_from_core_ms)} → ${ms(d.work_to_core_ms)}`,
        sort: byNumber((d) => d.work_to_core_ms - d.work_from_core_ms),
      },
      {
        key: "moves",
        title: t("scenes.moves"),
        render: (d) => d.moves.map((m) => `${m.point} ${m.from || "–"} → ${m.to || "–"}`).join(", ") || "–",
        sort: byNumber((d) => d.moves.length),
      },
    ],
    [t],
  );
  return (
    <Loaded query={query}>
      {(c) => (
        <Card
          title={`# ${c.from.number} → # ${c.to.number}: ${
            c.items.length ? t("scenes.differs", { n: c.items.length }) : t("scenes.same")
          }`}
          flush
        >
          {c.items.length > 0 && (
            <DataTable
              label={t("scenes.compare")}
              columns={columns}
              rows={c.items}
              rowKey={(d) => String(d.target_ms)}
              initialSort={{ key: "target" }}
              maxHeight="360px"
            />
          )}
        </Card>
      )}
    </Loaded>
  );
}
