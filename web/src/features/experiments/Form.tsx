import { Button } from "antd";
import { useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Problem } from "../../api/problem";
import { Ask, Field } from "../../ui/Ask";
import { ConflictBox } from "../../ui/ConflictBox";
import { Icon } from "../../ui/icons";
import { create, save, useApps, type Experiment, type ExperimentInput } from "./api";
import { ArmsFields } from "./ArmsFields";
import { blank, draftOf, faults, inputOf, linesOf, patterns, type Draft } from "./draft";

interface Props {
  onClose: () => void;
  onDone: (x: Experiment) => void;
}

/** A draft is only written down: nothing happens before it is started. */
export function Create(props: Props) {
  const { t } = useTranslation();
  return <Form {...props} title={t("experiments.new")} ok={t("ui.create")} start={blank()} onSave={create} />;
}

/** Changes a draft. What somebody else saved meanwhile is shown beside it, and nobody's is lost unasked. */
export function Edit({ experiment, ...props }: Props & { experiment: Experiment }) {
  const { t } = useTranslation();
  const [base, setBase] = useState(experiment); // what the typing began with
  const version = useRef(experiment.version);
  return (
    <Form
      {...props}
      key={base.version}
      title={t("experiments.ask.edit", { name: base.name })}
      ok={t("ui.save")}
      start={draftOf(base)}
      reason={base.reason}
      onSave={(input) => save(base, version.current, input)}
      failed={(error, again) => {
        const theirs = error instanceof Problem && (error.body.conflict?.theirs as Experiment | undefined);
        if (!theirs) return undefined;
        return (
          <ConflictBox
            problem={error}
            text={(v) => linesOf(v as ExperimentInput)}
            onTheirs={() => {
              version.current = theirs.version;
              setBase(theirs);
            }}
            onMine={() => {
              version.current = theirs.version;
              again();
            }}
          />
        );
      }}
    />
  );
}

function Form(
  props: Props & {
    title: string;
    ok: string;
    start: Draft;
    reason?: string;
    onSave: (input: ExperimentInput) => Promise<Experiment>;
    failed?: (error: unknown, again: () => void) => ReactNode;
  },
) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(props.start);
  const [touched, setTouched] = useState(false);
  const apps = useApps();
  const found = faults(draft);
  const say = (path: string) => touched && found[path] && t(found[path]);
  const change = (next: Partial<typeof draft>) => {
    setTouched(true);
    setDraft({ ...draft, ...next });
  };
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
      title={props.title}
      ok={props.ok}
      reason={props.reason}
      failed={props.failed}
      needReason
      width={860}
      okDisabled={Object.keys(found).length > 0}
      onClose={props.onClose}
      onOk={async (reason) => props.onDone(await props.onSave(inputOf(draft, reason)))}
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
        <ArmsFields
          arms={draft.arms}
          fault={(path) => say(path) || undefined}
          onChange={(arms) => change({ arms })}
        />
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
