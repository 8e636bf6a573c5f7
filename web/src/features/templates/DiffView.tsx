import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DiffTable } from "../../ui/DiffTable";
import { Card } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useDiff } from "./api";

interface Props {
  name: string;
  latest: number;
  hasDraft: boolean;
  dirty: boolean;
  version: number;
}

export function DiffView(props: Props) {
  const { t } = useTranslation();
  const newest = props.hasDraft ? "draft" : String(props.latest);
  const [from, setFrom] = useState(
    String(props.hasDraft ? props.latest || "draft" : Math.max(1, props.latest - 1)),
  );
  const [to, setTo] = useState(newest);
  if (!props.latest) return <div className="note">{t("templates.nothingPublished")}</div>;
  const options = [
    ...(props.hasDraft ? ["draft"] : []),
    ...Array.from({ length: props.latest }, (_, i) => String(props.latest - i)),
  ];
  const pick = (label: string, value: string, set: (v: string) => void) => (
    <label className="row">
      {label}
      <select className="native" value={value} onChange={(e) => set(e.target.value)}>
        {options.map((o) => (
          <option key={o} value={o}>
            {o === "draft" ? t("templates.draft") : `v${o}`}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <>
      <div className="toolbar">
        {pick(t("templates.from"), from, setFrom)}
        {pick(t("templates.to"), to, setTo)}
        {props.dirty && <span className="soft">{t("templates.diffSaved")}</span>}
      </div>
      <Difference key={`${from} ${to} ${props.version}`} name={props.name} from={from} to={to} />
    </>
  );
}

function Difference(props: { name: string; from: string; to: string }) {
  const { t } = useTranslation();
  const query = useDiff(props.name, props.from, props.to);
  return (
    <Loaded query={query} rows={4}>
      {(diff) => (
        <>
          <Card title={t("templates.inDocument")} flush>
            <DiffTable changes={diff.changes ?? []} label={t("templates.inDocument")} />
          </Card>
          <Card title={t("templates.inLevels")} flush>
            <DiffTable changes={diff.levels ?? []} label={t("templates.inLevels")} />
          </Card>
        </>
      )}
    </Loaded>
  );
}
