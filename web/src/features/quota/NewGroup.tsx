import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Selector } from "../../api/types";
import { Ask, Field } from "../../ui/Ask";
import { createGroup } from "./api";
import { MembersEditor } from "./MembersEditor";
import type { QuotaSettings } from "./types";
import { number } from "./units";

// What server/quota.DefaultSettings gives.
const defaults: QuotaSettings = {
  total_quota: 0,
  window: "1s",
  delay: "300ms",
  q_min: 10,
  q_max: 1000,
  default_quota: 200,
  law: "log",
  kp: 0,
  ki: 0,
  kd: 0,
  feed_forward: true,
  weight_min: 0.5,
  weight_max: 1.5,
  normalise: false,
  watermark: 0.7,
  fallback_slew: 0.1,
  return_slew: 0.5,
};

/** A new group: its name, places and budget. It begins disabled, so that the rest can be set first. */
export function NewGroup(props: { onClose: () => void; onDone: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [total, setTotal] = useState("");
  const [members, setMembers] = useState<Selector[]>([{ scene: "*", idc: "*", app: "", point: "" }]);
  const budget = number(total);
  const whole = members.every((m) => m.scene && m.idc && m.app && m.point);
  const badTotal = total !== "" && !(budget! >= 1 && budget! <= 1e12);
  return (
    <Ask
      title={t("quota.new")}
      ok={t("ui.create")}
      width={640}
      okDisabled={!name.trim() || !whole || total === "" || badTotal}
      onClose={props.onClose}
      onOk={async (reason) => {
        const g = await createGroup({
          name: name.trim(),
          enabled: false,
          members,
          settings: { ...defaults, total_quota: budget! },
          reason: reason || undefined,
        });
        props.onDone(g.name);
      }}
    >
      <div className="quota-fields">
        <Field label={t("quota.name")}>
          <input
            className="native"
            autoFocus
            maxLength={63}
            value={name}
            onChange={(e) => setName(e.target.value)}
          />
        </Field>
        <Field
          label={t("quota.field.total_quota")}
          hint={t("quota.hint.total_quota")}
          error={badTotal && t("quota.fault.range", { lo: "1", hi: "1e12" })}
        >
          <span className="with-unit">
            <input
              className={`native${badTotal ? " bad" : ""}`}
              inputMode="decimal"
              value={total}
              onChange={(e) => setTotal(e.target.value)}
            />
            <span className="soft">{t("quota.unit.perWindow", { window: defaults.window })}</span>
          </span>
        </Field>
      </div>
      <MembersEditor members={members} onChange={setMembers} />
      <div className="soft">{t("quota.newHint")}</div>
    </Ask>
  );
}
