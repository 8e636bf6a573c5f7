import { Input, Modal } from "antd";
import { cloneElement, Fragment, isValidElement, type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ProblemBox } from "./states";

interface Props {
  title: ReactNode;
  ok: string;
  danger?: boolean;
  needReason?: boolean;
  noReason?: boolean;
  okDisabled?: boolean;
  reason?: string; // to begin with
  /** Shows a failure in another way; nothing for the usual one. */
  failed?: (error: unknown, again: () => void) => ReactNode;
  width?: number;
  children?: ReactNode;
  onOk: (reason: string) => Promise<unknown>;
  onClose: () => void;
}

/** A dialog that asks for a reason, does one thing, and shows the problem if it fails. */
export function Ask(props: Props) {
  const { t } = useTranslation();
  const [reason, setReason] = useState(props.reason ?? "");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const lacking = props.needReason && !reason.trim();

  const go = async () => {
    if (busy || lacking || props.okDisabled) return;
    setBusy(true);
    setError(undefined);
    try {
      await props.onOk(reason.trim());
      props.onClose();
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  };

  return (
    <Modal
      open
      title={props.title}
      width={props.width ?? 460}
      okText={props.ok}
      cancelText={t("ui.cancel")}
      okButtonProps={{ danger: props.danger, disabled: lacking || props.okDisabled }}
      confirmLoading={busy}
      onOk={() => void go()}
      onCancel={props.onClose}
    >
      <div className="stack">
        {props.children}
        {!props.noReason && (
          <label className="stack" style={{ gap: 4 }}>
            {t("ui.reason")}
            <Input
              value={reason}
              maxLength={500}
              placeholder={t("ui.reasonHint")}
              onChange={(e) => setReason(e.target.value)}
              onPressEnter={() => void go()}
            />
          </label>
        )}
        {error !== undefined && (props.failed?.(error, () => void go()) ?? <ProblemBox error={error} />)}
      </div>
    </Modal>
  );
}

/** A labelled field of a dialog or form. */
export function Field(props: { label: ReactNode; hint?: ReactNode; error?: ReactNode; children: ReactNode }) {
  const id = useId();
  const below = props.error ? props.error : props.hint;
  // What stands below describes the control and is no part of its name.
  const control =
    below &&
    isValidElement<{ "aria-describedby"?: string }>(props.children) &&
    props.children.type !== Fragment
      ? cloneElement(props.children, { "aria-describedby": id })
      : props.children;
  return (
    <div className="stack" style={{ gap: 3 }}>
      <label className="stack" style={{ gap: 3 }}>
        <span className="soft">{props.label}</span>
        {control}
      </label>
      {below && (
        <span id={id} className={props.error ? "danger" : "soft"}>
          {below}
        </span>
      )}
    </div>
  );
}
