import { useTranslation } from "react-i18next";
import type { DiffChange } from "../api/types";

const text = (v: unknown) =>
  v === undefined || v === null ? "" : typeof v === "string" ? v : JSON.stringify(v);

/** Every place that differs, with what it was and what it is. */
export function DiffTable({ changes, label }: { changes: DiffChange[]; label: string }) {
  const { t } = useTranslation();
  if (!changes.length) return <div className="body soft">{t("ui.noDifference")}</div>;
  return (
    <div className="table-box" style={{ maxHeight: "60vh" }} tabIndex={0} role="region" aria-label={label}>
      <table className="data" aria-label={label}>
        <thead>
          <tr>
            <th>{t("ui.path")}</th>
            <th>{t("ui.before")}</th>
            <th>{t("ui.after")}</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((c, i) => (
            <tr key={i}>
              <td>
                <code>{c.path}</code>
              </td>
              <td title={text(c.from)}>
                {c.op !== "add" && <del className="diff-value old">{text(c.from)}</del>}
              </td>
              <td title={text(c.to)}>
                {c.op !== "remove" && <ins className="diff-value new">{text(c.to)}</ins>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
