import type { ReactNode } from "react";

/** A level as a bar and a number: never by colour alone. */
export function Level({
  level,
  max,
  min = 1,
}: {
  level: number | null | undefined;
  max: number;
  min?: number;
}) {
  if (level == null) return <span className="soft">–</span>;
  const share = max > 0 ? Math.max(0, Math.min(1, level / max)) : 0;
  const shown = Number.isInteger(level) ? String(level) : level.toFixed(1);
  return (
    <span className={`meter${level <= min ? " low" : ""}`} title={`${shown} / ${max}`}>
      <b>{shown}</b>
      <span className="bar" aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  );
}

export type Tone = "good" | "bad" | "warn" | "info" | "";

export function Tag({ tone = "", title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span className={`tag ${tone}`} title={title}>
      {children}
    </span>
  );
}

export function Tile(props: {
  label: ReactNode;
  value: ReactNode;
  unit?: string;
  note?: ReactNode;
  tone?: "danger" | "warning" | "success";
}) {
  return (
    <div className="tile">
      <div className="label">{props.label}</div>
      <div className={`value ${props.tone ?? ""}`}>
        {props.value} {props.unit && <small>{props.unit}</small>}
      </div>
      {props.note && <div className="hint">{props.note}</div>}
    </div>
  );
}

export function Card(props: { title: ReactNode; actions?: ReactNode; flush?: boolean; children: ReactNode }) {
  return (
    <section className="card">
      <header>
        <h2>{props.title}</h2>
        {props.actions && <div className="actions">{props.actions}</div>}
      </header>
      {props.flush ? props.children : <div className="body">{props.children}</div>}
    </section>
  );
}

export function PageHead(props: { title: ReactNode; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="page-head">
      <h1>{props.title}</h1>
      {props.children}
      {props.actions && <div className="actions">{props.actions}</div>}
    </div>
  );
}

/** A line of numbers as a tiny chart. Decorative: the numbers stand beside it. */
export function Sparkline({
  values,
  width = 90,
  height = 18,
}: {
  values: readonly (number | null)[];
  width?: number;
  height?: number;
}) {
  const known = values.filter((v): v is number => v != null && Number.isFinite(v));
  if (known.length < 2) return <svg width={width} height={height} aria-hidden="true" />;
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  const step = (width - 2) / (values.length - 1);
  let d = "";
  let pen = false;
  values.forEach((v, i) => {
    if (v == null || !Number.isFinite(v)) {
      pen = false;
      return;
    }
    const x = 1 + i * step;
    const y = height - 2 - ((v - low) / span) * (height - 4);
    d += `${pen ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    pen = true;
  });
  return (
    <svg width={width} height={height} aria-hidden="true" style={{ display: "block" }}>
      <path d={d} fill="none" stroke="var(--primary)" strokeWidth="1.5" strokeLinejoin="round" />
    </svg>
  );
}
