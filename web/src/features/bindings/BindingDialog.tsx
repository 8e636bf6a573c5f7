import { useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Binding, BindingInput, Preview, Resolution } from "../../api/types";
import { said } from "../../said/said";
import { Ask, Field } from "../../ui/Ask";
import { ProblemBox } from "../../ui/states";
import {
  createBinding,
  deleteBinding,
  updateBinding,
  useApps,
  usePreview,
  useTemplateNames,
  type Proposal,
} from "./api";

export function BindingDialog(props: {
  binding?: Binding;
  template?: string;
  onClose: () => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const old = props.binding;
  const templates = useTemplateNames();
  const apps = useApps();
  const [selector, setSelector] = useState(old?.selector ?? { scene: "*", idc: "*", app: "*", point: "*" });
  const [template, setTemplate] = useState(old?.template ?? props.template ?? "");
  const [pin, setPin] = useState(old?.pin ?? 0);
  const [force, setForce] = useState(false);
  const whole = Object.values(selector).every((v) => v.trim() !== "") && template !== "";
  const proposal = useDeferredValue(whole ? { id: old?.id, put: { selector, template, pin } } : undefined);
  const preview = usePreview(proposal);
  const known = templates.data?.find((x) => x.name === template);
  const refused = (preview.data?.refusals?.length ?? 0) > 0;

  const options = {
    app: [...new Set((apps.data?.items ?? []).map((a) => a.name))],
    idc: [...new Set((apps.data?.items ?? []).flatMap((a) => a.idcs ?? []))],
    point: [
      ...new Set(
        (apps.data?.items ?? [])
          .filter((a) => selector.app === "*" || a.name === selector.app)
          .flatMap((a) => (a.points ?? []).map((p) => p.name)),
      ),
    ],
    scene: [] as string[],
  };
  const body = (reason: string): BindingInput => ({
    selector,
    template,
    pin: pin || undefined,
    reason: reason || undefined,
  });

  return (
    <Ask
      title={t(old ? "bindings.edit" : "bindings.new")}
      ok={t("ui.save")}
      width={680}
      okDisabled={!whole || (refused && !force)}
      onClose={props.onClose}
      onOk={async (reason) => {
        await (old ? updateBinding(old, body(reason), force) : createBinding(body(reason), force));
        props.onDone();
      }}
    >
      <div className="row wrap" style={{ gap: 12, alignItems: "flex-start" }}>
        {(["scene", "idc", "app", "point"] as const).map((k) => (
          <Field key={k} label={t(`points.${k}`)}>
            <input
              className="native"
              style={{ width: 120 }}
              list={`known-${k}`}
              value={selector[k]}
              onChange={(e) => setSelector({ ...selector, [k]: e.target.value.trim() })}
            />
            <datalist id={`known-${k}`}>
              {["*", ...options[k]].map((o) => (
                <option key={o} value={o} />
              ))}
            </datalist>
          </Field>
        ))}
      </div>
      <div className="row" style={{ gap: 12, alignItems: "flex-start" }}>
        <Field label={t("points.template")}>
          <select className="native" value={template} onChange={(e) => setTemplate(e.target.value)}>
            <option value="">{t("bindings.choose")}</option>
            {(templates.data ?? []).map((x) => (
              <option key={x.name} value={x.name}>
                {x.name}
                {x.latest ? "" : ` (${t("templates.unpublished")})`}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("templates.version")}>
          <select className="native" value={pin} onChange={(e) => setPin(Number(e.target.value))}>
            <option value={0}>{t("bindings.follows")}</option>
            {Array.from({ length: known?.latest ?? pin }, (_, i) => (known?.latest ?? pin) - i).map((v) => (
              <option key={v} value={v}>
                v{v}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {preview.error && <ProblemBox error={preview.error} />}
      {preview.data && <PreviewTable preview={preview.data} />}
      {refused && (
        <label className="check">
          <input type="checkbox" checked={force} onChange={(e) => setForce(e.target.checked)} />
          {t("templates.force")}
        </label>
      )}
    </Ask>
  );
}

export function DeleteDialog(props: { binding: Binding; onClose: () => void; onDone: () => void }) {
  const { t } = useTranslation();
  const [proposal] = useState<Proposal>({ id: props.binding.id, delete: true });
  const preview = usePreview(proposal);
  return (
    <Ask
      title={t("bindings.deleteTitle")}
      ok={t("ui.delete")}
      danger
      width={680}
      onClose={props.onClose}
      onOk={async (reason) => {
        await deleteBinding(props.binding, reason);
        props.onDone();
      }}
    >
      {preview.error && <ProblemBox error={preview.error} />}
      {preview.data && <PreviewTable preview={preview.data} />}
    </Ask>
  );
}

function PreviewTable({ preview }: { preview: Preview }) {
  const { t } = useTranslation();
  const name = (r: Resolution) => (r.template ? `${r.template} v${r.version}` : t("bindings.nothing"));
  const changes = preview.changes ?? [];
  return (
    <div className="stack" style={{ gap: 6 }}>
      <strong>{t("bindings.preview", { count: changes.length })}</strong>
      {changes.length > 0 && (
        <div
          className="table-box"
          style={{ maxHeight: 220 }}
          tabIndex={0}
          role="region"
          aria-label={t("bindings.previewLabel")}
        >
          <table className="data" aria-label={t("bindings.previewLabel")}>
            <thead>
              <tr>
                <th>{t("points.point")}</th>
                <th>{t("ui.before")}</th>
                <th>{t("ui.after")}</th>
                <th className="num">{t("points.agents")}</th>
              </tr>
            </thead>
            <tbody>
              {changes.map((c, i) => (
                <tr key={i}>
                  <td className="mono">
                    {c.after.scene} / {c.after.idc} / {c.after.app} / {c.after.point}
                  </td>
                  <td>
                    <span className="diff-value old">{name(c.before)}</span>
                  </td>
                  <td>
                    <span className="diff-value new">{name(c.after)}</span>
                  </td>
                  <td className="num">{c.machines}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(preview.refusals ?? []).map((r, i) => (
        <div key={i} className="danger">
          {said(r.message)}
        </div>
      ))}
    </div>
  );
}
