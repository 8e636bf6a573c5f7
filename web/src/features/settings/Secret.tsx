import { Modal } from "antd";
import { useTranslation } from "react-i18next";

/** A secret that the server tells once. */
export function Secret(props: { title: string; secret: string; hint?: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal open title={props.title} footer={null} onCancel={props.onClose} mask={{ closable: false }}>
      <p className="warning">{t("ui.shownOnce")}</p>
      <div className="secret" data-testid="secret" tabIndex={0}>
        {props.secret}
      </div>
      {props.hint && (
        <p>
          <code>{props.hint}</code>
        </p>
      )}
    </Modal>
  );
}
