import { useQuery } from "@tanstack/react-query";
import { App, Button, Drawer } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { client, intent, take } from "../api/client";
import { touch } from "../api/live";
import { useProgress, useRecentChanges } from "../api/rollout";
import { useCan } from "../api/session";
import type { Change, ChangeDetail, Progress, Schemas, Undo } from "../api/types";
import { said } from "../said/said";
import { Ask } from "./Ask";
import { causeOf } from "./cause";
import { clock, ms } from "./format";
import { Icon } from "./icons";
import { Tag } from "./marks";
import { Loaded, ProblemBox } from "./states";

/** "9 of 9 agents hold revision 41 after 180 ms", with who is missing and who refused. */
export function ProgressLine({ progress }: { progress: Progress }) {
  const { t } = useTranslation();
  const refused = (progress.refusals ?? []).reduce((n, r) => n + r.count, 0);
  const share = progress.of ? (progress.hold / progress.of) * 100 : 100;
  return (
    <div className="stack" style={{ gap: 5 }}>
      <div className="row">
        <span data-testid="progress-summary">
          {t("ui.rollout.summary", {
            hold: progress.hold,
            of: progress.of,
            revision: progress.version.revision,
            elapsed: ms(progress.elapsed_ms),
          })}
        </span>
        {progress.superseded && <Tag>{t("ui.rollout.superseded")}</Tag>}
        {refused > 0 && <Tag tone="bad">{t("ui.rollout.refused", { count: refused })}</Tag>}
        {progress.complete && refused === 0 && <Tag tone="good">{t("ui.rollout.complete")}</Tag>}
      </div>
      <div className="progress" role="img" aria-label={`${progress.hold} / ${progress.of}`}>
        <i style={{ width: `${share}%` }} />
        <i className="bad" style={{ width: `${progress.of ? (refused / progress.of) * 100 : 0}%` }} />
      </div>
    </div>
  );
}

export function ProgressDetail({ progress }: { progress: Progress }) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <ProgressLine progress={progress} />
      {(progress.refusals ?? []).map((r) => (
        <div key={r.reason} className="problem">
          <strong>{t("ui.rollout.refused", { count: r.count })}</strong> {said(r.reason)}
          <ul>
            {(r.problems ?? []).slice(0, 8).map((p, i) => (
              <li key={i}>
                {p.path && <code>{p.path}: </code>}
                {said(p.message)}
              </li>
            ))}
          </ul>
          <div className="tags">
            {(r.instances ?? []).slice(0, 12).map((i) => (
              <Link key={i} to={`/agents/${encodeURIComponent(i)}`} className="tag mono">
                {i}
              </Link>
            ))}
          </div>
        </div>
      ))}
      {(progress.stragglers ?? []).length > 0 && (
        <div className="note warn">
          <strong>{t("ui.rollout.stragglers", { count: progress.stragglers.length })}</strong>
          <table className="plain">
            <tbody>
              {progress.stragglers.slice(0, 30).map((s) => (
                <tr key={s.instance}>
                  <td>
                    <Link to={`/agents/${encodeURIComponent(s.instance)}`} className="mono">
                      {s.instance}
                    </Link>
                  </td>
                  <td>{said(s.reason)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

/** Undoes a revision: the server releases, restores or rolls back whatever caused it, and says what it did. */
export function UndoButton(props: { revision: number; size?: "small"; undo?: Undo }) {
  const { revision, size, undo } = props;
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const claims = useCan("claim");
  const publishes = useCan("publish");
  if (!claims && !publishes) return null;
  return (
    <>
      <Button
        size={size}
        icon={<Icon name="undo" size={13} />}
        disabled={!!undo?.problem}
        title={undo?.problem}
        onClick={() => setAsking(true)}
      >
        {t("ui.rollout.undo")}
      </Button>
      {asking && <UndoDialog revision={revision} onClose={() => setAsking(false)} />}
    </>
  );
}

/** Says what undoing would do, or why nothing can be undone, and does it. */
function UndoDialog({ revision, onClose }: { revision: number; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const detail = useQuery({
    queryKey: ["changes", "one", revision],
    staleTime: 0,
    queryFn: ({ signal }) =>
      take<ChangeDetail>(
        client.GET("/api/v1/changes/{revision}", { params: { path: { revision } }, signal }),
      ),
  });
  const undo = detail.isFetching ? undefined : detail.data?.undo;
  return (
    <Ask
      title={t("ui.rollout.undoTitle", { revision })}
      ok={t("ui.rollout.undo")}
      needReason
      okDisabled={!!undo?.problem}
      onClose={onClose}
      onOk={async (reason) => {
        const done = await take<Schemas["Undone"]>(
          client.POST("/api/v1/changes/{revision}/undo", {
            params: { path: { revision }, header: { "Idempotency-Key": intent() } },
            body: { reason },
          }),
        );
        void message.success((done.actions ?? []).join("; ") || t("ui.done"));
        touch("changes", "claims", "points", "templates", "bindings", "explain");
      }}
    >
      {undo?.problem ? (
        <div className="note warn">{undo.problem}</div>
      ) : (
        undo && (
          <ul className="undo">
            {undo.actions.map((a) => (
              <li key={a}>{a}</li>
            ))}
          </ul>
        )
      )}
    </Ask>
  );
}

function One({ change }: { change: Change }) {
  const { t } = useTranslation();
  const progress = useProgress(change.version.revision);
  return (
    <section className="card">
      <header>
        <h3>
          <Link className="in-text" to={`/changes/${change.version.revision}`}>
            #{change.version.revision}
          </Link>{" "}
          {change.app} · {change.idc}
        </h3>
        <span className="soft">{clock(change.at)}</span>
        <div className="actions">
          <UndoButton revision={change.version.revision} size="small" />
        </div>
      </header>
      <div className="body stack">
        <div>{causeOf(t, change)}</div>
        {progress.data ? (
          <ProgressDetail progress={progress.data} />
        ) : (
          progress.error && <ProblemBox error={progress.error} />
        )}
      </div>
    </section>
  );
}

// A long cause names only its first parts, so "and 2 more" may hide ours.
const concerns = (cause: string, about: string[] | undefined) =>
  !about || about.some((w) => cause.includes(w)) || / more$/.test(cause);

/** Opens after something was changed: every revision since then, and who holds it. */
export function RolloutDrawer(props: {
  since: number;
  title: string;
  app?: string;
  idc?: string;
  /** Words of the causes that belong to what was done; the loop's own moves go on meanwhile. */
  about?: string[];
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const query = { app: props.app, idc: props.idc, limit: 100 };
  const recent = useRecentChanges(query);
  return (
    <Drawer open size={480} title={props.title} onClose={props.onClose} mask={false}>
      <Loaded query={recent} rows={4}>
        {(page) => {
          // A second's grace: the browser's clock and the database's may differ.
          const items = page.items.filter(
            (c) => Date.parse(c.at) >= props.since - 1_500 && concerns(c.cause, props.about),
          );
          return (
            <div className="stack">
              {items.length === 0 && <div className="note">{t("ui.rollout.waiting")}</div>}
              {items.map((c) => (
                <One key={c.version.revision} change={c} />
              ))}
            </div>
          );
        }}
      </Loaded>
    </Drawer>
  );
}
