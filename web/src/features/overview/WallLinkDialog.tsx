import { Button, Input, Modal } from "antd";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Ask, Field } from "../../ui/Ask";
import { makeLink } from "./wallApi";

/** Makes a read-only address for a screen, and shows it once. */
export function WallLinkDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState("wall");
  const [app, setApp] = useState("*");
  const [idc, setIDC] = useState("*");
  const [life, setLife] = useState("720h");
  const made = useRef(false);
  const [url, setURL] = useState<string>();
  if (url)
    return (
      <Modal
        open
        title={t("overview.wallLink")}
        onCancel={onClose}
        mask={{ closable: false }}
        footer={
          <Button type="primary" onClick={() => void navigator.clipboard?.writeText(url).catch(() => {})}>
            {t("overview.copyLink")}
          </Button>
        }
      >
        <p className="warning">{t("ui.shownOnce")}</p>
        <div className="secret" data-testid="wall-link" tabIndex={0}>
          {url}
        </div>
        <p>
          {t("overview.wallRevoke")} <Link to="/settings?tab=tokens">{t("overview.wallTokens")}</Link>
        </p>
      </Modal>
    );
  return (
    <Ask
      title={t("overview.wallLink")}
      ok={t("ui.create")}
      okDisabled={!name || !app || !idc}
      onOk={async (reason) => {
        setURL(await makeLink({ name, app, idc, life, reason }));
        made.current = true;
      }}
      onClose={() => {
        // Ask closes itself after success; the address is then on show instead.
        if (!made.current) onClose();
      }}
    >
      <p className="soft" style={{ margin: 0 }}>
        {t("overview.wallLinkHint")}
      </p>
      <Field label={t("overview.wallName")}>
        <Input value={name} maxLength={63} onChange={(e) => setName(e.target.value)} />
      </Field>
      <div className="row">
        <Field label={t("points.app")}>
          <Input value={app} maxLength={63} onChange={(e) => setApp(e.target.value)} />
        </Field>
        <Field label={t("points.idc")}>
          <Input value={idc} maxLength={63} onChange={(e) => setIDC(e.target.value)} />
        </Field>
        <Field label={t("overview.wallLife")}>
          <select className="native" value={life} onChange={(e) => setLife(e.target.value)}>
            <option value="24h">{t("overview.days", { count: 1 })}</option>
            <option value="168h">{t("overview.days", { count: 7 })}</option>
            <option value="720h">{t("overview.days", { count: 30 })}</option>
            <option value="8760h">{t("overview.days", { count: 365 })}</option>
          </select>
        </Field>
      </div>
    </Ask>
  );
}
