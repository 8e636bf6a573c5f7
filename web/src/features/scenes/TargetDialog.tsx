import { Input } from "antd";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Ask } from "../../ui/Ask";
import { useRow, useSceneCheck, type Tagged } from "./api";
import { below, inputOf, msOf, spanOf } from "./document";
import { Judged } from "./Judged";
import { setTarget } from "./writes";

interface Props {
  tagged: Tagged;
  target?: string; // to begin with
  onClose: () => void;
}

/** Changes the target: the row is pushed at once. What it will be is said before. */
export function TargetDialog({ tagged, target: first, onClose }: Props) {
  const { t } = useTranslation();
  const { scene } = tagged;
  const [typed, setTyped] = useState(first ?? scene.target);
  const target = spanOf(typed);
  const ladder = useMemo(() => below(scene.ladder ?? [], target), [scene.ladder, target]);
  const gone = (scene.ladder ?? []).filter((s) => !ladder.includes(s));
  const input = useMemo(
    () => (target ? { ...inputOf(scene), target, ladder } : undefined),
    [scene, target, ladder],
  );
  const asked = useDeferredValue(input);
  const check = useSceneCheck(asked);
  const judgement = asked ? check.data : undefined;
  const whole = msOf(target);
  const row = useRow(scene.name, whole === undefined ? undefined : Math.round(whole));
  const now = useRow(scene.name, Math.round(msOf(scene.target) ?? 0) || undefined);
  const next = row.data?.rows[0];
  const was = now.data?.rows[0];
  return (
    <Ask
      title={t("scenes.changeTitle", { scene: scene.name })}
      ok={t("scenes.save")}
      needReason
      okDisabled={!target || !!judgement?.problems.length}
      onOk={(reason) => setTarget(scene.name, tagged.etag, target, reason)}
      onClose={onClose}
    >
      <label className="field">
        {t("scenes.newTarget")}
        <Input autoFocus value={typed} onChange={(e) => setTyped(e.target.value)} maxLength={32} />
      </label>
      <span className="soft">
        {t(scene.feedback_alone ? "scenes.newTargetAlone" : "scenes.newTargetHint")}
      </span>
      <Judged label={t("scenes.judged")} judgement={judgement} />
      {row.data && next && was && !judgement?.problems.length && (
        <div className="note" role="status">
          {t("scenes.rowSays", {
            table: row.data.number,
            row: next.target_ms,
            effect: next.effect.toFixed(3),
            was: was.effect.toFixed(3),
            work: next.work_core_ms.toFixed(0),
            before: was.work_core_ms.toFixed(0),
          })}
        </div>
      )}
      {row.data && whole !== undefined && next && Math.round(whole) !== next.target_ms && (
        <div className="note warn">{t("scenes.rowClamped", { row: next.target_ms })}</div>
      )}
      {gone.length > 0 && <div className="note">{t("scenes.stepsGone", { steps: gone.join(", ") })}</div>}
    </Ask>
  );
}
