import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Icon } from "../../ui/icons";
import { wallOf } from "./calendar";
import { layout, ticks, type Bar } from "./gantt";
import { standing } from "./marks";
import type { PlanEntry } from "./types";

interface Props {
  label: string;
  entries: PlanEntry[];
  plans: string[];
  from: number;
  to: number;
  zone: string;
  now: number;
  /** A line the reader moved somewhere. */
  cursor?: number;
  /** What moves it, as long as the axis. */
  scrub?: ReactNode;
}

const pathOf = (b: Bar) =>
  `/plans/${encodeURIComponent(b.entry.plan)}?occurrence=${encodeURIComponent(b.entry.step.occurrence)}`;

/** Plans against time: a bar from a step's start to its end, a diamond for what needs no end. */
export function Gantt(props: Props) {
  const { t } = useTranslation();
  const { from, to, zone, now } = props;
  const rows = layout(props.entries, props.plans, from, to);
  const percent = (share: number) => `${(share * 100).toFixed(3)}%`;
  const at = (ms: number) => percent((ms - from) / (to - from));
  const marks = ticks(from, to, zone);
  const line = (ms: number | undefined, kind: string) =>
    ms !== undefined &&
    ms >= from &&
    ms <= to && <i className={`gantt-line ${kind}`} style={{ left: at(ms) }} aria-hidden="true" />;
  return (
    <div className="gantt" role="figure" aria-label={props.label}>
      <div className="gantt-corner soft">{zone}</div>
      <div className="gantt-axis" aria-hidden="true">
        {marks.map((m) => (
          <span
            key={m.at}
            className={m.day ? "day" : ""}
            style={{
              left: percent(m.share),
              transform: m.share < 0.02 ? "none" : m.share > 0.98 ? "translateX(-100%)" : undefined,
            }}
          >
            {m.label}
          </span>
        ))}
      </div>
      {rows.map((row) => (
        <div key={row.plan} style={{ display: "contents" }}>
          <div className="gantt-name">
            <Link to={`/plans/${encodeURIComponent(row.plan)}`}>{row.plan}</Link>
          </div>
          <div className="gantt-row" style={{ height: row.lanes * 26 + 8 }}>
            {marks.map((m) => (
              <i
                key={m.at}
                className={`gantt-grid${m.day ? " day" : ""}`}
                style={{ left: percent(m.share) }}
              />
            ))}
            {line(now, "now")}
            {line(props.cursor, "cursor")}
            {row.bars.map((b) => {
              const state = standing(b.entry.step, now);
              const clash = b.entry.conflicts.length > 0;
              const words = [
                b.entry.step.name,
                `${wallOf(b.start, zone)}${b.end === undefined ? "" : ` → ${wallOf(b.end, zone)}`}`,
                t(`plans.standing.${state}`),
                ...b.entry.step.sets,
                ...b.entry.conflicts.map((c) => `⚠ ${c.with}: ${c.outcome}`),
              ].join("\n");
              const instant = b.end === undefined;
              return (
                <Link
                  key={b.key}
                  to={pathOf(b)}
                  className={`gantt-bar ${state} ${instant ? "instant" : ""} ${clash ? "clash" : ""} ${b.entry.state}`}
                  style={{
                    left: percent(b.left),
                    top: b.lane * 26 + 5,
                    ...(instant ? {} : { width: `max(${percent(b.width)}, 3px)` }),
                  }}
                  title={words}
                  aria-label={words.replaceAll("\n", ", ")}
                >
                  {!instant && <b aria-hidden="true" />}
                  <span>
                    {instant && <em aria-hidden="true">◆</em>}
                    {clash && <Icon name="warn" size={12} />}
                    {b.entry.step.name}
                  </span>
                </Link>
              );
            })}
          </div>
        </div>
      ))}
      {props.scrub && (
        <>
          <div className="gantt-name soft">{t("plans.scrubShort")}</div>
          <div className="gantt-scrubber">{props.scrub}</div>
        </>
      )}
    </div>
  );
}
