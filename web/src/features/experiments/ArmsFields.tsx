import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icons";
import type { DraftArm } from "./draft";

const strategies = ["fixed", "central", "crowd_rt", "external_timeout"];

/** The arms as they are typed, one row each. */
export function ArmsFields(props: {
  arms: DraftArm[];
  fault: (path: string) => string | undefined;
  onChange: (arms: DraftArm[]) => void;
}) {
  const { t } = useTranslation();
  const { arms } = props;
  const arm = (i: number, next: Partial<DraftArm>) =>
    props.onChange(arms.map((a, k) => (k === i ? { ...a, ...next } : a)));
  return (
    <table className="data experiment-arms" aria-label={t("experiments.arms")}>
      <thead>
        <tr>
          {(["arm", "share", "strategy", "level", "rt"] as const).map((k) => (
            <th key={k}>{t(`experiments.col.${k}`)}</th>
          ))}
          <th aria-label={t("experiments.removeArm", { n: "" })} />
        </tr>
      </thead>
      <tbody>
        {arms.map((a, i) => {
          const cell = (key: keyof DraftArm, label: string) => (
            <td>
              <input
                className={`native${props.fault(`arms.${i}.${key}`) ? " bad" : ""}`}
                aria-label={`${label} ${i + 1}`}
                title={props.fault(`arms.${i}.${key}`)}
                maxLength={63}
                value={a[key]}
                onChange={(e) => arm(i, { [key]: e.target.value })}
              />
            </td>
          );
          return (
            <tr key={i}>
              {cell("name", t("experiments.col.arm"))}
              {cell("share", t("experiments.col.share"))}
              <td>
                <select
                  className="native"
                  aria-label={`${t("experiments.col.strategy")} ${i + 1}`}
                  value={a.strategy}
                  onChange={(e) => arm(i, { strategy: e.target.value })}
                >
                  <option value="">{t("experiments.asItIs")}</option>
                  {strategies.map((s) => (
                    <option key={s} value={s}>
                      {s}
                    </option>
                  ))}
                </select>
              </td>
              {cell("level", t("experiments.col.level"))}
              {cell("rt", t("experiments.col.rt"))}
              <td>
                <Button
                  size="small"
                  icon={<Icon name="close" size={12} />}
                  disabled={arms.length <= 2}
                  aria-label={t("experiments.removeArm", { n: i + 1 })}
                  onClick={() => props.onChange(arms.filter((_, k) => k !== i))}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
