import { Button } from "antd";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Selector } from "../../api/types";
import { Icon } from "../../ui/icons";
import { useApps } from "./api";

const keys = ["scene", "idc", "app", "point"] as const;

/** The selectors of a group; app and point are named, scene and IDC may be any. */
export function MembersEditor(props: {
  members: Selector[];
  readOnly?: boolean;
  error?: string;
  onChange: (members: Selector[]) => void;
}) {
  const { t } = useTranslation();
  const id = useId();
  const apps = useApps().data?.items ?? [];
  const { members } = props;
  const options = (k: (typeof keys)[number], app: string): string[] => {
    switch (k) {
      case "app":
        return apps.map((a) => a.name);
      case "idc":
        return ["*", ...new Set(apps.flatMap((a) => a.idcs ?? []))];
      case "point":
        return [
          ...new Set(
            apps.filter((a) => !app || a.name === app).flatMap((a) => (a.points ?? []).map((p) => p.name)),
          ),
        ];
      default:
        return ["*"];
    }
  };
  const put = (i: number, m: Selector) => props.onChange(members.map((x, k) => (k === i ? m : x)));
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }} className="stack">
      <legend className="soft" style={{ padding: 0, marginBottom: 4 }}>
        {t("quota.members")}
      </legend>
      {members.map((m, i) => (
        <div key={i} className="row wrap">
          {keys.map((k) => (
            <label key={k} className="row soft" style={{ gap: 4 }}>
              {t(`points.${k}`)}
              <input
                className={`native${m[k] ? "" : " bad"}`}
                style={{ width: 96 }}
                readOnly={props.readOnly}
                list={`${id}-${i}-${k}`}
                value={m[k]}
                onChange={(e) => put(i, { ...m, [k]: e.target.value.trim() })}
              />
              <datalist id={`${id}-${i}-${k}`}>
                {options(k, m.app).map((o) => (
                  <option key={o} value={o} />
                ))}
              </datalist>
            </label>
          ))}
          {!props.readOnly && members.length > 1 && (
            <button
              type="button"
              className="icon-button"
              aria-label={t("quota.removeMember", { n: i + 1 })}
              onClick={() => props.onChange(members.filter((_, k) => k !== i))}
            >
              <Icon name="close" size={13} />
            </button>
          )}
        </div>
      ))}
      {props.error && <span className="danger">{props.error}</span>}
      {!props.readOnly && (
        <div>
          <Button
            size="small"
            icon={<Icon name="plus" size={12} />}
            onClick={() => props.onChange([...members, { scene: "*", idc: "*", app: "", point: "" }])}
          >
            {t("quota.addMember")}
          </Button>
        </div>
      )}
    </fieldset>
  );
}
