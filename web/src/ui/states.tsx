import type { UseQueryResult } from "@tanstack/react-query";
import { Button } from "antd";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { asProblem } from "../api/problem";
import { said } from "../said/said";

const GlassDialog = lazy(() => import("./GlassDialog").then((m) => ({ default: m.GlassDialog })));

export function Skeleton({ rows = 8 }: { rows?: number }) {
  const { t } = useTranslation();
  return (
    <div className="card" role="status" aria-label={t("ui.loading")}>
      <div className="body stack">
        {Array.from({ length: rows }, (_, i) => (
          <div key={i} className="skeleton" style={{ width: `${92 - ((i * 17) % 40)}%` }} />
        ))}
      </div>
    </div>
  );
}

/** An empty page says what to do next. */
export function Empty(props: { title: ReactNode; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="card">
      <div className="state">
        <strong>{props.title}</strong>
        {props.children && <div>{props.children}</div>}
        {props.action}
      </div>
    </div>
  );
}

export function ProblemBox(props: { error: unknown; onRetry?: () => void; places?: boolean }) {
  const { t } = useTranslation();
  const p = asProblem(props.error);
  const known = [
    "offline",
    "unauthorized",
    "forbidden",
    "not_found",
    "conflict",
    "stale",
    "frozen",
    "refused",
    "rate_limited",
    "unavailable",
    "internal",
  ];
  return (
    <div className="problem" role="alert">
      <strong>{known.includes(p.code) ? t(`ui.problem.${p.code}`) : t("ui.problem.invalid")}</strong>{" "}
      <span>{said(p.message)}</span>
      {props.places !== false && p.places.length > 0 && (
        <ul>
          {p.places.slice(0, 20).map((place, i) => (
            <li key={i}>
              {place.line ? (
                <code>{t("ui.lineColumn", { line: place.line, column: place.column })}: </code>
              ) : (
                place.path && <code>{place.path}: </code>
              )}
              {said(place.message)}
            </li>
          ))}
        </ul>
      )}
      {p.code === "frozen" && <BreakGlass />}
      {(p.requestId || props.onRetry) && (
        <footer>
          {p.requestId && (
            <span>
              {t("ui.request")} <code>{p.requestId}</code>
            </span>
          )}
          {props.onRetry && (
            <Button size="small" onClick={props.onRetry}>
              {t("ui.retry")}
            </Button>
          )}
        </footer>
      )}
    </div>
  );
}

/** The way on inside a freeze. */
function BreakGlass() {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <div style={{ marginTop: 6 }}>
      <Button size="small" danger onClick={() => setOpen(true)}>
        {t("ui.glass.open")}
      </Button>
      {open && (
        <Suspense fallback={null}>
          <GlassDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** Shows a query's loading, failed and answered state; old data stays visible under a new error. */
export function Loaded<T>(props: {
  query: UseQueryResult<T>;
  rows?: number;
  children: (data: T) => ReactNode;
}) {
  const { query } = props;
  if (query.data === undefined) {
    if (query.error) {
      const p = asProblem(query.error);
      if (p.status === 404 || p.status === 403) return <Missing status={p.status} />;
      return <ProblemBox error={query.error} onRetry={() => void query.refetch()} />;
    }
    return <Skeleton rows={props.rows} />;
  }
  return (
    <>
      {query.error && <ProblemBox error={query.error} onRetry={() => void query.refetch()} />}
      {props.children(query.data)}
    </>
  );
}

export function Missing({ status }: { status: 403 | 404 }) {
  const { t } = useTranslation();
  return (
    <Empty
      title={`${status} · ${t(status === 404 ? "ui.problem.not_found" : "ui.problem.forbidden")}`}
      action={<Button href="/">{t("ui.home")}</Button>}
    >
      {t(status === 404 ? "ui.missing404" : "ui.missing403")}
    </Empty>
  );
}
