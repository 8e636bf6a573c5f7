import { useTranslation } from "react-i18next";
import type { Crowds } from "../../api/types";
import { said } from "../../said/said";
import { ms, share } from "../../ui/format";
import { axisEnd, barsOf, marksOf, sharesOf } from "./crowds";

const width = 520;
const height = 210;
const box = { left: 8, right: 8, top: 26, bottom: 24 };
const inner = { width: width - box.left - box.right, height: height - box.top - box.bottom };
const floor = height - box.bottom;

/** How response times lie around the available RT, with the crowds' edges. */
export function Distribution({ crowds: c }: { crowds: Crowds }) {
  const { t } = useTranslation();
  const bins = c.histogram ?? [];
  const end = axisEnd(bins, c.available_rt_ms);
  const at = (v: number) => box.left + (v / end) * inner.width;
  return (
    <figure className="crowd-figure">
      <figcaption>
        <strong>{t("points.crowds.distribution")}</strong>
        <span>{t("points.crowds.distributionNote")}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t("points.crowds.distribution")}>
        {barsOf(bins, end, c.available_rt_ms).map((b, i) => (
          <rect
            key={i}
            className={b.over ? "bar over" : "bar"}
            x={box.left + b.x * inner.width}
            width={Math.max(b.width * inner.width - 0.6, 0.4)}
            y={floor - b.height * inner.height}
            height={b.height * inner.height}
          />
        ))}
        {(c.crowds ?? [])
          .filter((x) => x.edge_ms > 0 && x.edge_ms < end)
          .map((x) => (
            <line
              key={x.edge_ms}
              className="edge"
              x1={at(x.edge_ms)}
              x2={at(x.edge_ms)}
              y1={box.top}
              y2={floor}
            />
          ))}
        <line className="axis" x1={box.left} x2={width - box.right} y1={floor} y2={floor} />
        {marksOf(end).map((v) => (
          <text
            key={v}
            x={at(v)}
            y={height - 8}
            textAnchor={v === 0 ? "start" : at(v) > width - 30 ? "end" : "middle"}
          >
            {v === 0 ? "0" : `${v} ms`}
          </text>
        ))}
        {c.available_rt_ms > 0 && <Setpoint x={at(c.available_rt_ms)} rt={c.available_rt_ms} />}
      </svg>
    </figure>
  );
}

function Setpoint({ x, rt }: { x: number; rt: number }) {
  const { t } = useTranslation();
  const right = x > width * 0.6;
  return (
    <g data-testid="setpoint">
      <line className="setpoint" x1={x} x2={x} y1={box.top - 8} y2={floor} />
      <text
        className="setpoint-text"
        x={right ? x - 6 : x + 6}
        y={box.top - 12}
        textAnchor={right ? "end" : "start"}
      >
        {t("points.crowds.setpoint", { rt: ms(rt) })}
      </text>
    </g>
  );
}

/** Each crowd's mean RT against the available RT, its level above it. */
export function CrowdMeans({ crowds: c }: { crowds: Crowds }) {
  const { t } = useTranslation();
  const rows = sharesOf(c.crowds ?? []);
  const most = Math.max(...rows.map((r) => r.rt_mean_ms), c.available_rt_ms * 1.15, 0.1);
  const y = (v: number) => floor - (v / most) * inner.height;
  const step = inner.width / Math.max(rows.length, 1);
  const wide = Math.min(step * 0.7, 56);
  return (
    <figure className="crowd-figure">
      <figcaption>
        <strong>{t("points.crowds.means")}</strong>
        <span>{t("points.crowds.meansNote")}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t("points.crowds.means")}>
        {rows.map((r, i) => {
          const x = box.left + (i + 0.5) * step;
          return (
            <g key={i} data-testid="crowd-bar">
              <title>{`${ms(r.edge_ms)}${r.next ? `–${ms(r.next)}` : "+"} · ${share(r.share, 1)} · ${said(r.reason)}`}</title>
              <rect
                className={r.rt_mean_ms > c.available_rt_ms * 1.03 ? "bar over" : "bar"}
                x={x - wide / 2}
                width={wide}
                y={r.count ? y(r.rt_mean_ms) : floor}
                height={r.count ? floor - y(r.rt_mean_ms) : 0}
                opacity={0.35 + 0.65 * Math.min(1, r.share * rows.length)}
              />
              <text className="strong" x={x} y={(r.count ? y(r.rt_mean_ms) : floor) - 5} textAnchor="middle">
                {r.count ? t("points.crowds.levelShort", { level: r.level.toFixed(0) }) : "–"}
              </text>
              <text x={x} y={height - 8} textAnchor="middle">
                {i === 0 ? "0" : trim(r.edge_ms)}
              </text>
            </g>
          );
        })}
        <line className="axis" x1={box.left} x2={width - box.right} y1={floor} y2={floor} />
        {c.available_rt_ms > 0 && (
          <g data-testid="setpoint">
            <line
              className="setpoint"
              x1={box.left}
              x2={width - box.right}
              y1={y(c.available_rt_ms)}
              y2={y(c.available_rt_ms)}
            />
            <text className="setpoint-text" x={width - box.right} y={box.top - 12} textAnchor="end">
              {t("points.crowds.setpoint", { rt: ms(c.available_rt_ms) })}
            </text>
          </g>
        )}
      </svg>
    </figure>
  );
}

const trim = (v: number) => (v >= 100 ? v.toFixed(0) : v >= 10 ? v.toFixed(0) : v.toFixed(1));
