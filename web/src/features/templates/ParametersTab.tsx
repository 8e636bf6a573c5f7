import { Button, Input } from "antd";
import { useTranslation } from "react-i18next";
import type { Place } from "../../api/problem";
import { said } from "../../said/said";
import { Field } from "../../ui/Ask";
import { Icon } from "../../ui/icons";
import { Card } from "../../ui/marks";
import type { Doc, ParamDoc } from "./document";
import { addParameter, moveParameter, rawFromCell, removeParameter, setParameter } from "./edit";
import { kinds, numeric } from "./typecheck";

interface Props {
  doc: Doc;
  edit: (change: (doc: Doc) => Doc) => void;
  readOnly: boolean;
}

export function HeadFields({ doc, edit, readOnly }: Props) {
  const { t } = useTranslation();
  return (
    <Card title={t("templates.about")}>
      <div className="stack">
        <Field label={t("templates.description")}>
          <Input
            value={doc.description}
            readOnly={readOnly}
            maxLength={2000}
            onChange={(e) => edit((d) => ({ ...d, description: e.target.value }))}
          />
        </Field>
        <Field label={t("templates.tags")} hint={t("templates.tagsHint")}>
          <Input
            // Written back on leaving: a comma that is being typed is no tag yet.
            key={doc.tags.join(",")}
            defaultValue={doc.tags.join(", ")}
            readOnly={readOnly}
            onBlur={(e) => {
              const tags = [
                ...new Set(
                  e.target.value
                    .split(/[,，]/)
                    .map((x) => x.trim())
                    .filter(Boolean),
                ),
              ];
              edit((d) => (tags.join() === d.tags.join() ? d : { ...d, tags }));
            }}
          />
        </Field>
      </div>
    </Card>
  );
}

export function ParametersTab({ doc, edit, readOnly, problems }: Props & { problems: Place[] }) {
  const { t } = useTranslation();
  return (
    <Card
      title={t("templates.parameters")}
      flush
      actions={
        !readOnly && (
          <Button size="small" icon={<Icon name="plus" size={12} />} onClick={() => edit(addParameter)}>
            {t("templates.addParameter")}
          </Button>
        )
      }
    >
      {doc.parameters.length === 0 && (
        <div className="state">
          <strong>{t("templates.noParameters")}</strong>
          {t("templates.noParametersHint")}
        </div>
      )}
      {doc.parameters.map((p, i) => (
        <ParameterRow
          key={i}
          index={i}
          last={i === doc.parameters.length - 1}
          param={p}
          edit={edit}
          readOnly={readOnly}
          problems={problems.filter(
            (x) => x.path === `parameters[${i}]` || x.path.startsWith(`parameters[${i}].`),
          )}
        />
      ))}
    </Card>
  );
}

function ParameterRow(props: {
  index: number;
  last: boolean;
  param: ParamDoc;
  edit: Props["edit"];
  readOnly: boolean;
  problems: Place[];
}) {
  const { t } = useTranslation();
  const { index, param: p, edit, readOnly } = props;
  const set = (change: Partial<ParamDoc>) => edit((d) => setParameter(d, index, change));
  const bad = (field: string) =>
    props.problems.some((x) => x.path.startsWith(`parameters[${index}].${field}`)) ? "native bad" : "native";
  const bound = (field: "min" | "max" | "step" | "default") => (
    <label className="param-field">
      <span>{t(`templates.fields.${field}`)}</span>
      <input
        className={bad(field)}
        value={p[field]?.text ?? ""}
        readOnly={readOnly}
        size={7}
        onChange={(e) => set({ [field]: rawFromCell(p.type, e.target.value) })}
      />
    </label>
  );
  return (
    <div className="param" role="group" aria-label={p.name}>
      <div className="row wrap" style={{ gap: "8px 10px" }}>
        <label className="param-field">
          <span>{t("templates.fields.name")}</span>
          <input
            className={`${bad("name")} mono`}
            value={p.name}
            readOnly={readOnly}
            size={16}
            onChange={(e) => set({ name: e.target.value })}
          />
        </label>
        <label className="param-field">
          <span>{t("templates.fields.type")}</span>
          <select
            className={bad("type")}
            value={p.type}
            disabled={readOnly}
            onChange={(e) => set(typeChange(p, e.target.value))}
          >
            {kinds.map((k) => (
              <option key={k}>{k}</option>
            ))}
          </select>
        </label>
        <label className="param-field">
          <span>{t("templates.fields.unit")}</span>
          <input
            className={bad("unit")}
            value={p.unit ?? ""}
            readOnly={readOnly}
            size={6}
            onChange={(e) => set({ unit: e.target.value || undefined })}
          />
        </label>
        {numeric(p.type) && (
          <>
            {bound("min")}
            {bound("max")}
            {bound("step")}
          </>
        )}
        {p.type === "enum" && (
          <label className="param-field">
            <span>{t("templates.fields.values")}</span>
            <input
              className={bad("values")}
              key={(p.values ?? []).join("|")}
              defaultValue={(p.values ?? []).join(", ")}
              readOnly={readOnly}
              size={24}
              onBlur={(e) => {
                const values = e.target.value
                  .split(/[,，]/)
                  .map((x) => x.trim())
                  .filter(Boolean);
                if (values.join("|") !== (p.values ?? []).join("|"))
                  set({ values: values.length ? values : undefined });
              }}
            />
          </label>
        )}
        {bound("default")}
        {numeric(p.type) && (
          <>
            <label className="param-field">
              <span>{t("templates.fields.interpolate")}</span>
              <select
                className={bad("interpolate")}
                value={p.interpolate ?? "linear"}
                disabled={readOnly}
                onChange={(e) => set({ interpolate: e.target.value })}
              >
                {["linear", "geometric", "step"].map((x) => (
                  <option key={x} value={x}>
                    {t(`templates.rules.${x}`)}
                  </option>
                ))}
              </select>
            </label>
            <label className="param-field">
              <span>{t("templates.fields.monotonic")}</span>
              <select
                className={bad("monotonic")}
                value={p.monotonic ?? "none"}
                disabled={readOnly}
                onChange={(e) => set({ monotonic: e.target.value === "none" ? undefined : e.target.value })}
              >
                {["none", "up", "down"].map((x) => (
                  <option key={x} value={x}>
                    {t(`templates.monotonic.${x}`)}
                  </option>
                ))}
              </select>
            </label>
            <label className="param-field">
              <span title={t("templates.costHint")}>{t("templates.fields.cost")}</span>
              <input
                type="checkbox"
                checked={p.cost ?? false}
                disabled={readOnly}
                onChange={(e) => set({ cost: e.target.checked || undefined })}
              />
            </label>
          </>
        )}
        {!readOnly && (
          <span className="row" style={{ marginLeft: "auto", gap: 0 }}>
            <button
              type="button"
              className="icon-button"
              aria-label={`${t("templates.moveUp")} ${p.name}`}
              disabled={index === 0}
              onClick={() => edit((d) => moveParameter(d, index, -1))}
            >
              <Icon name="up" size={14} />
            </button>
            <button
              type="button"
              className="icon-button"
              aria-label={`${t("templates.moveDown")} ${p.name}`}
              disabled={props.last}
              onClick={() => edit((d) => moveParameter(d, index, 1))}
            >
              <Icon name="down" size={14} />
            </button>
            <button
              type="button"
              className="icon-button"
              aria-label={`${t("ui.delete")} ${p.name}`}
              onClick={() => edit((d) => removeParameter(d, index))}
            >
              <Icon name="close" size={14} />
            </button>
          </span>
        )}
      </div>
      {props.problems.map((x, i) => (
        <div key={i} className="danger">
          {said(x.message)}
        </div>
      ))}
    </div>
  );
}

// What the old type's bounds said means nothing for another type.
function typeChange(p: ParamDoc, type: string): Partial<ParamDoc> {
  const change: Partial<ParamDoc> = { type };
  if (!numeric(type))
    Object.assign(change, {
      min: undefined,
      max: undefined,
      step: undefined,
      interpolate: undefined,
      monotonic: undefined,
      cost: undefined,
    });
  else
    for (const field of ["min", "max", "step"] as const)
      if (p[field]) change[field] = rawFromCell(type, p[field].text);
  if (type !== "enum") change.values = undefined;
  if (p.default) change.default = rawFromCell(type, p.default.text);
  return change;
}
