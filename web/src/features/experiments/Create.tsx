import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ask, Field } from "../../ui/Ask";
import { Icon } from "../../ui/icons";
import { create, useApps } from "./api";
import { blank, faults, inputOf, patterns, type DraftArm } from "./draft";

const strategies = ["fixed", "central", "crowd_rt", "external_timeout"];

/** A draft is only written down: nothing happens before it is started. */
export function Create(props: { onClose: () => void; onDone: (name: string) => void }) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(blank);
  const [touched, setTouched] = useState(false);
  const apps = useApps();
  const found = faults(draft);
  const say = (path: string) => touched && found[path] && t(found[path]);
  const change = (next: Partial<typeof draft>) => {
    setTouched(true);
    setDraft({ ...draft, ...next });
  };
  const arm = (i: number, next: Partial<DraftArm>) =>
    change({ arms: draft.arms.map((a, k) => (k === i ? { ...a, ...next } : a)) });
  const points = (app: string) =>
    apps.data?.items.find((a) => a.name === app)?.points.map((p) => p.name) ?? [];
  const input = (label: string, path: string, value: string, set: (v: string) => void, list?: string) => (
    <Field label={label} error={say(path)}>
      <input
        className={`native${say(path) ? " bad" : ""}`}
        maxLength={63}
        value={value}
        list={list}
        onChange={(e) => set(e.target.value)}
      />
    </Field>
  );
  return (
    <Ask
      title={t("experiments.new")}
      ok={t("ui.create")}
      needReason
      width={860}
      okDisabled={Object.keys(found).length > 0}
      onClose={props.onClose}
      onOk={async (reason) => props.onDone((await create(inputOf(draft, reason))).name)}
    >
      <datalist id="experiment-apps">
        {apps.data?.items.map((a) => (
          <option key={a.name} value={a.name} />
        ))}
      </datalist>
      <datalist id="experiment-points">
        {points(draft.scope.app).map((p) => (
          <option key={p} value={p} />
        ))}
      </datalist>
      <datalist id="experiment-measured">
        {points(draft.measure.app).map((p) => (
          <option key={p} value={p} />
        ))}
      </datalist>
      <div className="experiment-fields">
        {input(t("experiments.name"), "name", draft.name, (name) => change({ name }))}
        {input(t("experiments.duration"), "duration", draft.duration, (v) => change({ duration: v }))}
      </div>
      <fieldset className="experiment-fields">
        <legend>{t("experiments.scopeHint")}</legend>
        {(["scene", "idc", "app", "point"] as const).map((f) => (
          <div key={f}>
            {input(
              t(`experiments.${f}`),
              `scope.${f}`,
              draft.scope[f],
              (v) => change({ scope: { ...draft.scope, [f]: v } }),
              f === "app" ? "experiment-apps" : f === "point" ? "experiment-points" : undefined,
            )}
          </div>
        ))}
      </fieldset>
      <fieldset className="experiment-fields">
        <legend>{t("experiments.measureHint")}</legend>
        {input(
          t("experiments.measuredApp"),
          "measure.app",
          draft.measure.app,
          (app) => change({ measure: { ...draft.measure, app } }),
          "experiment-apps",
        )}
        {input(
          t("experiments.measuredPoint"),
          "measure.point",
          draft.measure.point,
          (point) => change({ measure: { ...draft.measure, point } }),
          "experiment-measured",
        )}
      </fieldset>
      <fieldset>
        <legend className="row">
          {t("experiments.armsHint")}
          <select
            className="native"
            aria-label={t("experiments.pattern")}
            value=""
            onChange={(e) => change({ arms: patterns[e.target.value]!.map((a) => ({ ...a })) })}
          >
            <option value="" disabled>
              {t("experiments.pattern")}
            </option>
            {Object.keys(patterns).map((k) => (
              <option key={k} value={k}>
                {t(`experiments.patterns.${k}`)}
              </option>
            ))}
          </select>
        </legend>
        <table className="data experiment-arms" aria-label={t("experiments.arms")}>
          <thead>
            <tr>
              {(["arm", "share", "strategy", "level", "rt"] as const).map((k) => (
                <th key={k}>{t(`experiments.col.${k}`)}</th>
              ))}
              <th aria-label={t("experiments.removeArm", { n: "" })} />
            </tr>
          </thead>
          <tbody>
            {draft.arms.map((a, i) => {
              const cell = (key: keyof DraftArm, label: string) => (
                <td>
                  <input
                    className={`native${say(`arms.${i}.${key}`) ? " bad" : ""}`}
                    aria-label={`${label} ${i + 1}`}
                    title={say(`arms.${i}.${key}`) || undefined}
                    maxLength={63}
                    value={a[key]}
                    onChange={(e) => arm(i, { [key]: e.target.value })}
                  />
                </td>
              );
              return (
                <tr key={i}>
                  {cell("name", t("experiments.col.arm"))}
                  {cell("share", t("experiments.col.share"))}
                  <td>
                    <select
                      className="native"
                      aria-label={`${t("experiments.col.strategy")} ${i + 1}`}
                      value={a.strategy}
                      onChange={(e) => arm(i, { strategy: e.target.value })}
                    >
                      <option value="">{t("experiments.asItIs")}</option>
                      {strategies.map((s) => (
                        <option key={s} value={s}>
                          {s}
                        </option>
                      ))}
                    </select>
                  </td>
                  {cell("level", t("experiments.col.level"))}
                  {cell("rt", t("experiments.col.rt"))}
                  <td>
                    <Button
                      size="small"
                      icon={<Icon name="close" size={12} />}
                      disabled={draft.arms.length <= 2}
                      aria-label={t("experiments.removeArm", { n: i + 1 })}
                      onClick={() => change({ arms: draft.arms.filter((_, k) => k !== i) })}
                    />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
        {touched &&
          Object.entries(found)
            .filter(([p]) => p.startsWith("arms"))
            .slice(0, 3)
            .map(([p, key]) => (
              <div key={p} className="danger" role="status">
                {p === "arms" ? "" : `${t("experiments.col.arm")} ${Number(p.split(".")[1]) + 1}: `}
                {t(key)}
              </div>
            ))}
        <Button
          size="small"
          icon={<Icon name="plus" size={12} />}
          disabled={draft.arms.length >= 8}
          onClick={() =>
            change({ arms: [...draft.arms, { name: "", share: "", strategy: "", level: "", rt: "" }] })
          }
        >
          {t("experiments.addArm")}
        </Button>
      </fieldset>
    </Ask>
  );
}
