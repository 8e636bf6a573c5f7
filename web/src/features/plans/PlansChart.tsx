import { Button } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Card, Tag } from "../../ui/marks";
import { asProblem } from "../../api/problem";
import { ProblemBox } from "../../ui/states";
import { useTimeline } from "./api";
import { wallOf } from "./calendar";
import { Gantt } from "./Gantt";
import { inForce } from "./gantt";
import { Countdown, Wall } from "./marks";
import type { Plan } from "./types";
import { useReference } from "./useReference";

const hour = 3_600_000;
const spans: Record<string, number> = {
  "1h": hour,
  "6h": 6 * hour,
  "24h": 24 * hour,
  "7d": 7 * 24 * hour,
  "31d": 31 * 24 * hour - 1,
};
const minute = 60_000;
const floor = (ms: number) => Math.floor(ms / minute) * minute;

interface Props {
  plans: Plan[];
  params: URLSearchParams;
  set: (key: string, value: string) => void;
}

/** All plans against time, with a window and a cursor that the address remembers. */
export function PlansChart({ plans, params, set }: Props) {
  const { t } = useTranslation();
  const now = useReference(0, 1_000);
  const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const next = useMemo(
    () =>
      plans
        .filter((p) => p.state === "approved" && p.next)
        .sort((a, b) => Date.parse(a.next!.start) - Date.parse(b.next!.start))[0],
    [plans],
  );
  const zones = [...new Set([...plans.map((p) => p.zone), browserZone, "UTC"])];
  const zone = params.get("zone") ?? next?.zone ?? plans[0]?.zone ?? browserZone;
  const spanKey = params.get("span") ?? "24h";
  const span = spans[spanKey] ?? spans["24h"]!;
  const wanted = Date.parse(params.get("from") ?? "");
  const from = Number.isNaN(wanted) ? floor(now - span / 6) : floor(wanted);
  const to = from + span;
  const query = useTimeline(from, to);
  const marked = Date.parse(params.get("t") ?? "");
  const cursor = marked >= from && marked <= to ? marked : undefined;
  const entries = useMemo(() => query.data?.entries ?? [], [query.data]);
  const names = plans.map((p) => p.name);
  const at = cursor ?? now;
  const active = inForce(
    entries.filter((e) => names.includes(e.plan)),
    at,
    now,
  );
  const move = (ms: number) => set("from", new Date(floor(ms)).toISOString());
  const clashes = entries.filter((e) => names.includes(e.plan) && e.conflicts.length > 0).length;
  return (
    <Card
      title={t("plans.gantt")}
      flush
      actions={
        <>
          <select
            className="native"
            aria-label={t("plans.zone")}
            value={zone}
            onChange={(e) => set("zone", e.target.value)}
          >
            {(zones.includes(zone) ? zones : [zone, ...zones]).map((z) => (
              <option key={z}>{z}</option>
            ))}
          </select>
          <select
            className="native"
            aria-label={t("plans.window")}
            value={spanKey}
            onChange={(e) => set("span", e.target.value === "24h" ? "" : e.target.value)}
          >
            {Object.keys(spans).map((s) => (
              <option key={s} value={s}>
                {t(`plans.spans.${s}`)}
              </option>
            ))}
          </select>
          <Button size="small" aria-label={t("plans.earlier")} onClick={() => move(from - span / 2)}>
            ◀
          </Button>
          <Button size="small" onClick={() => set("from", "")}>
            {t("plans.now")}
          </Button>
          <Button size="small" aria-label={t("plans.later")} onClick={() => move(from + span / 2)}>
            ▶
          </Button>
          {next && (
            <Button size="small" onClick={() => move(Date.parse(next.next!.start) - span / 4)}>
              {t("plans.toNext")}
            </Button>
          )}
        </>
      }
    >
      {query.error && asProblem(query.error).status !== 0 && <ProblemBox error={query.error} />}
      <Gantt
        label={t("plans.gantt")}
        entries={entries}
        plans={names}
        from={from}
        to={to}
        zone={zone}
        now={now}
        cursor={cursor}
        scrub={
          <input
            type="range"
            aria-label={t("plans.scrub")}
            aria-valuetext={wallOf(at, zone)}
            min={from}
            max={to}
            step={span / 480}
            value={Math.min(to, Math.max(from, at))}
            onChange={(e) => set("t", new Date(Number(e.target.value)).toISOString())}
          />
        }
      />
      <div className="gantt-scrub">
        <span className="row wrap">
          <span className="soft">{t(cursor === undefined ? "plans.atNow" : "plans.atThen")}</span>
          <Wall at={at} zone={zone} />
          {active.length === 0 ? (
            <span className="soft">{t("plans.nothingInForce")}</span>
          ) : (
            active.map((e) => (
              <Tag key={`${e.plan} ${e.step.occurrence} ${e.step.name}`} tone="good">
                {e.plan} / {e.step.name}
              </Tag>
            ))
          )}
          {cursor !== undefined && (
            <Button size="small" onClick={() => set("t", "")}>
              {t("plans.followNow")}
            </Button>
          )}
        </span>
        <span className="row wrap" style={{ marginLeft: "auto" }}>
          {clashes > 0 && <Tag tone="warn">⚠ {t("plans.clashes", { count: clashes })}</Tag>}
          {query.data?.more && <Tag tone="warn">{t("plans.more")}</Tag>}
          {next ? (
            <span className="row" data-testid="next-step">
              <span className="soft">{t("plans.next")}</span>
              <Link to={`/plans/${encodeURIComponent(next.name)}`}>
                {next.name} / {next.next!.name}
              </Link>
              <strong>
                <Countdown to={next.next!.start} now={now} />
              </strong>
            </span>
          ) : (
            <span className="soft">{t("plans.noNext")}</span>
          )}
        </span>
      </div>
    </Card>
  );
}
