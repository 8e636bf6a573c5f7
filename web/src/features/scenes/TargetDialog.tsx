import { Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ask } from "../../ui/Ask";
import type { Tagged } from "./api";
import { setTarget } from "./writes";

/** Changes the target: the row is pushed at once. */
export function TargetDialog({ tagged, onClose }: { tagged: Tagged; onClose: () => void }) {
  const { t } = useTranslation();
  const [target, set] = useState(tagged.scene.target);
  return (
    <Ask
      title={t("scenes.changeTitle", { scene: tagged.scene.name })}
      ok={t("scenes.save")}
      needReason
      okDisabled={!target.trim()}
      onOk={(reason) => setTarget(tagged.scene.name, tagged.etag, target.trim(), reason)}
      onClose={onClose}
    >
      <label className="field">
        {t("scenes.newTarget")}
        <Input value={target} onChange={(e) => set(e.target.value)} maxLength={32} />
        <span className="hint">{t("scenes.newTargetHint")}</span>
      </label>
    </Ask>
  );
}
