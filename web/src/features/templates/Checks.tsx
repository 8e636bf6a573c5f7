import { useTranslation } from "react-i18next";
import type { Place } from "../../api/problem";
import type { Check } from "../../api/types";
import { said } from "../../said/said";
import { ProblemBox } from "../../ui/states";
import type { Doc } from "./document";

/** Where a problem is, for the editor to go to. */
export interface Jump {
  tab: string;
  level?: number;
  name?: string;
  path: string;
  tick: number;
}

let ticks = 0;

/** Turns a path of the document into a place of the form. */
export function jumpTo(path: string, doc: Doc): Jump {
  const tick = ++ticks;
  const cell = /^gears\[(\d+)\](?:\.set\.(.+))?/.exec(path);
  if (cell) return { tab: "gears", level: doc.gears[Number(cell[1])]?.level ?? 1, name: cell[2], path, tick };
  if (path.startsWith("parameters") || /^(name|description|tags)/.test(path))
    return { tab: "parameters", path, tick };
  if (path.startsWith("strategy") || path.startsWith("levels")) return { tab: "strategy", path, tick };
  return { tab: "gears", path, tick };
}

/** What is wrong, doubtful or would be refused, each leading to its place. */
export function Checks(props: {
  local: Place[];
  server: Check | undefined;
  error: unknown;
  doc: Doc;
  onGo: (jump: Jump) => void;
}) {
  const { t } = useTranslation();
  const { local, server } = props;
  // The server repeats the check; only what the browser did not find is worth a line.
  const more = (server?.problems ?? []).filter(
    (p) => !local.some((q) => q.path === p.path && q.code === p.code),
  );
  const problems = [...local, ...(local.length ? [] : more)];
  const warnings = local.length ? [] : (server?.warnings ?? []);
  const refusals = local.length ? [] : (server?.refusals ?? []);
  const list = (places: Partial<Place>[]) => (
    <ul className="problems">
      {places.slice(0, 100).map((p, i) => (
        <li key={i}>
          <button type="button" onClick={() => props.onGo(jumpTo(p.path ?? "", props.doc))}>
            {said(p.message)}
            <br />
            <code>{p.path}</code>
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <aside className="side" aria-label={t("templates.checks")}>
      {props.error !== null && props.error !== undefined && <ProblemBox error={props.error} />}
      <section className="card">
        <header>
          <h2 className={problems.length ? "danger" : "success"}>
            {problems.length
              ? t("templates.problems", { count: problems.length })
              : t("templates.noProblems")}
          </h2>
        </header>
        {problems.length > 0 && list(problems)}
      </section>
      {warnings.length > 0 && (
        <section className="card">
          <header>
            <h2 className="warning">{t("templates.warnings", { count: warnings.length })}</h2>
          </header>
          {list(warnings)}
        </section>
      )}
      <section className="card">
        <header>
          <h2 className={refusals.length ? "danger" : ""}>{t("templates.liveBuilds")}</h2>
        </header>
        {refusals.length ? (
          <ul className="problems">
            {refusals.map((r, i) => (
              <li key={i} style={{ padding: "7px 12px" }}>
                <span className="danger">{said(r.message)}</span>
                <br />
                <span className="soft">
                  {r.app} · {r.idc} · {r.point}
                </span>
              </li>
            ))}
          </ul>
        ) : (
          <div className="body soft">
            {t(local.length ? "templates.fixFirst" : server ? "templates.noRefusal" : "ui.loading")}
          </div>
        )}
      </section>
    </aside>
  );
}
