import { Button } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { client, take } from "../../api/client";
import { asProblem, Problem } from "../../api/problem";
import { Ask } from "../../ui/Ask";
import { DiffTable } from "../../ui/DiffTable";
import { saveGroup } from "./api";
import { changesOf, inputOf, placesOf } from "./draft";
import type { FieldKey } from "./fields";
import type { QuotaGroup, QuotaState } from "./types";
import type { Draft } from "./useDraft";

/** Saves the draft under the version it stands on; a stale write shows what the other changed. */
export function SaveBar({ name, draft, newest }: { name: string; draft: Draft; newest: QuotaGroup }) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState(false);
  const [clash, setClash] = useState<QuotaGroup>();
  const changes = changesOf(draft.base, draft.edits);
  const wrong = draft.faults.size > 0;
  const ready = !wrong && !draft.stale;

  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if (!((e.metaKey || e.ctrlKey) && e.key.toLowerCase() === "s")) return;
      e.preventDefault();
      if (ready) setAsking(true);
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [ready]);

  const save = async (reason: string) => {
    try {
      await saveGroup(draft.base.version, inputOf(draft.base, draft.edits, reason), name);
      draft.drop();
    } catch (error) {
      if (error instanceof Problem && error.code === "stale") {
        setClash(
          await take<QuotaState>(
            client.GET("/api/v1/quota-groups/{group}", { params: { path: { group: name } } }),
          ),
        );
        return;
      }
      draft.refuse(placesOf(asProblem(error).places));
      throw error;
    }
  };

  const other = clash ?? (draft.stale ? newest : undefined);
  return (
    <>
      {other && (
        <Clash
          draft={draft}
          theirs={other}
          onTheirs={() => {
            setClash(undefined);
            draft.drop();
          }}
          onMine={() => {
            setClash(undefined);
            draft.rebase(other);
          }}
        />
      )}
      <div className="quota-save" role="region" aria-label={t("quota.unsaved")}>
        <strong>{t("quota.changed", { count: changes.length })}</strong>
        <span
          className="soft mono grow"
          style={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}
        >
          {changes.map((c) => c.path).join(", ")}
        </span>
        {wrong && <span className="danger">{t("quota.fixFirst")}</span>}
        <Button onClick={draft.drop}>{t("quota.discard")}</Button>
        <Button type="primary" disabled={!ready} title="⌘S" onClick={() => setAsking(true)}>
          {t("quota.save")}
        </Button>
      </div>
      {asking && (
        <Ask
          title={t("quota.saveTitle", { name: draft.base.name })}
          ok={t("ui.save")}
          width={620}
          needReason
          onClose={() => setAsking(false)}
          onOk={save}
        >
          <DiffTable changes={changes} label={t("quota.changed", { count: changes.length })} />
        </Ask>
      )}
    </>
  );
}

/** Another's write met ours: what stood there, what we want, what they wrote. */
function Clash(props: { draft: Draft; theirs: QuotaGroup; onTheirs: () => void; onMine: () => void }) {
  const { t } = useTranslation();
  const { draft, theirs } = props;
  const mine = inputOf(draft.base, draft.edits);
  const keys = Object.keys(draft.edits.values) as FieldKey[];
  const own = new Set<string>(keys);
  const rows = (Object.keys(theirs.settings) as (keyof typeof theirs.settings)[])
    .map((key) => ({
      key,
      base: text(draft.base.settings[key]),
      mine: text(mine.settings[key]),
      theirs: text(theirs.settings[key]),
    }))
    .filter((r) => own.has(r.key) || r.base !== r.theirs);
  return (
    <div className="problem" role="alert">
      <strong>{t("ui.problem.stale")}</strong>{" "}
      {t("quota.clash", { who: theirs.updated_by, version: theirs.version })}
      {rows.length > 0 && (
        <table className="plain" style={{ marginTop: 6, width: "auto" }}>
          <thead>
            <tr>
              <th>{t("ui.path")}</th>
              <th>{t("ui.conflict.base")}</th>
              <th>{t("ui.conflict.mine")}</th>
              <th>{t("ui.conflict.theirs")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.key}>
                <td>{t(`quota.field.${r.key}`)}</td>
                <td className="mono">{r.base}</td>
                <td className="mono">{r.mine}</td>
                <td className="mono">{r.theirs}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <footer>
        <Button size="small" onClick={props.onTheirs}>
          {t("quota.takeTheirs")}
        </Button>
        <Button size="small" onClick={props.onMine}>
          {t("quota.keepMine")}
        </Button>
      </footer>
    </div>
  );
}

const text = (v: unknown) => (v === undefined ? "" : typeof v === "string" ? v : JSON.stringify(v));
