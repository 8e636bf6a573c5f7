import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Check } from "../../api/types";
import { said } from "../../said/said";
import { Ask } from "../../ui/Ask";
import { DiffTable } from "../../ui/DiffTable";
import { publish, useDiff } from "./api";

/** Publishing shows the difference and who would refuse, and wants a reason. */
export function PublishDialog(props: {
  name: string;
  etag: string;
  latest: number;
  check: Check | undefined;
  onClose: () => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const [force, setForce] = useState(false);
  const refusals = props.check?.refusals ?? [];
  return (
    <Ask
      title={t("templates.publishTitle", { version: props.latest + 1 })}
      ok={t("templates.publish")}
      needReason
      danger={force}
      width={680}
      okDisabled={refusals.length > 0 && !force}
      onClose={props.onClose}
      onOk={async (reason) => {
        await publish(props.name, props.etag, reason, force);
        props.onDone();
      }}
    >
      {props.latest > 0 && <Difference name={props.name} />}
      {refusals.length > 0 && (
        <div className="problem">
          <strong>{t("templates.wouldRefuse")}</strong>
          <ul>
            {refusals.map((r, i) => (
              <li key={i}>{said(r.message)}</li>
            ))}
          </ul>
          <label className="check">
            <input type="checkbox" checked={force} onChange={(e) => setForce(e.target.checked)} />
            {t("templates.force")}
          </label>
        </div>
      )}
    </Ask>
  );
}

function Difference({ name }: { name: string }) {
  const { t } = useTranslation();
  const diff = useDiff(name, "latest", "draft");
  return diff.data ? (
    <DiffTable changes={diff.data.changes ?? []} label={t("templates.tabs.diff")} />
  ) : (
    <div className="skeleton" />
  );
}
