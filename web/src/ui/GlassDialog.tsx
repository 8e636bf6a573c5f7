import { Button, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { askGlass, useGlasses } from "../api/breakglass";
import { takeLeave } from "../api/glass";
import { useMe } from "../api/session";
import { Field } from "./Ask";
import { clock, isTime } from "./format";
import { ProblemBox } from "./states";

const lengths = ["15m", "30m", "1h", "2h", "4h"];

/**
 * Asks for leave to change things in a freeze, waits for the second person, and
 * takes it. What is done with it is flagged in the log.
 */
export function GlassDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const me = useMe();
  const list = useGlasses(2_000);
  const [reason, setReason] = useState("");
  const [length, setLength] = useState("30m");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const mine = (list.data ?? []).filter((g) => g.requested_by === me.data?.name);
  const granted = mine.find((g) => g.approved_by);
  const waiting = mine.find((g) => !g.approved_by);
  const ask = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await askGlass(reason.trim(), length);
    } catch (e) {
      setError(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      title={t("ui.glass.title")}
      onCancel={onClose}
      footer={[
        <Button key="close" onClick={onClose}>
          {t("ui.close")}
        </Button>,
        granted ? (
          <Button
            key="use"
            danger
            type="primary"
            onClick={() => {
              takeLeave({ id: granted.id, until: granted.until });
              onClose();
            }}
          >
            {t("ui.glass.use")}
          </Button>
        ) : (
          !waiting && (
            <Button key="ask" danger loading={busy} disabled={!reason.trim()} onClick={() => void ask()}>
              {t("ui.glass.ask")}
            </Button>
          )
        ),
      ]}
    >
      <div className="stack">
        <div>{t("ui.glass.hint")}</div>
        {granted ? (
          <div className="note good" role="status">
            {t("ui.glass.granted", { who: granted.approved_by, until: clock(granted.until) })}
          </div>
        ) : waiting ? (
          <div className="note warn" role="status" data-testid="glass-waiting">
            {t("ui.glass.waitingHint", { until: isTime(waiting.until) ? clock(waiting.until) : "" })}
          </div>
        ) : (
          <>
            <Field label={t("ui.reason")}>
              <input
                className="native"
                maxLength={500}
                placeholder={t("ui.reasonHint")}
                value={reason}
                onChange={(e) => setReason(e.target.value)}
              />
            </Field>
            <Field label={t("ui.glass.length")}>
              <select className="native" value={length} onChange={(e) => setLength(e.target.value)}>
                {lengths.map((l) => (
                  <option key={l}>{l}</option>
                ))}
              </select>
            </Field>
          </>
        )}
        {error !== undefined && <ProblemBox error={error} />}
      </div>
    </Modal>
  );
}
