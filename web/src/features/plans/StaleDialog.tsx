import { Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import type { Seen } from "./api";
import { differences, docOf, type PlanDoc } from "./document";

interface Props {
  base: PlanDoc;
  mine: PlanDoc;
  theirs: Seen;
  onTheirs: () => void;
  onMine: () => void;
  onClose: () => void;
}

/** Somebody else saved meanwhile: every place that differs, and the two ways on. */
export function StaleDialog({ base, mine, theirs, onTheirs, onMine, onClose }: Props) {
  const { t } = useTranslation();
  const rows = differences(base, mine, docOf(theirs.document));
  return (
    <Modal
      open
      width={860}
      title={t("plans.staleTitle")}
      onCancel={onClose}
      footer={[
        <Button key="close" onClick={onClose}>
          {t("ui.cancel")}
        </Button>,
        <Button key="theirs" onClick={onTheirs}>
          {t("plans.takeTheirs")}
        </Button>,
        <Button key="mine" danger onClick={onMine}>
          {t("plans.keepMine")}
        </Button>,
      ]}
    >
      <div className="stack">
        <p style={{ margin: 0 }}>
          {t("plans.staleHint", { who: theirs.updated_by, version: theirs.version })}
        </p>
        <div
          className="table-box"
          style={{ maxHeight: "50vh" }}
          tabIndex={0}
          role="region"
          aria-label={t("plans.staleTitle")}
        >
          <table className="data" aria-label={t("plans.staleTitle")}>
            <thead>
              <tr>
                <th>{t("ui.path")}</th>
                <th>{t("plans.base")}</th>
                <th>{t("plans.mine")}</th>
                <th>{t("plans.theirs")}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((d) => (
                <tr key={d.path}>
                  <td>
                    <code>{d.path}</code>
                  </td>
                  <td>{d.base || "–"}</td>
                  <td>
                    {d.mine === d.base ? (
                      d.mine || "–"
                    ) : (
                      <ins className="diff-value new">{d.mine || "–"}</ins>
                    )}
                  </td>
                  <td>
                    {d.theirs === d.base ? (
                      d.theirs || "–"
                    ) : (
                      <ins className="diff-value new">{d.theirs || "–"}</ins>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </Modal>
  );
}
