import { useTranslation } from "react-i18next";
import { Loaded } from "../../ui/states";
import { Card, Tag } from "../../ui/marks";
import { useDryRun, type Seen } from "./api";
import { docOf } from "./document";
import { Wall } from "./marks";

const all = (x: string) => x || "*";

/** What the real push would send, instant by instant. */
export default function PreviewTab({ plan }: { plan: Seen }) {
  const { t } = useTranslation();
  const query = useDryRun(docOf(plan.document), `plan ${plan.id} ${plan.version}`);
  return (
    <Loaded query={query}>
      {(run) =>
        run.previews.length === 0 ? (
          <div className="note">{t("plans.willDoNothing")}</div>
        ) : (
          <>
            <p className="soft" style={{ margin: 0 }}>
              {t("plans.previewHint")}
            </p>
            {run.previews.map((v) => (
              <Card
                key={`${v.at} ${v.app} ${v.idc}`}
                title={
                  <>
                    <Wall at={v.at} zone={plan.zone} /> · {v.app} · {v.idc}
                  </>
                }
                flush
                actions={
                  <>
                    {v.steps.map((s) => (
                      <Tag key={s} tone="info">
                        {s.replace(/ (starts|ends)$/, (w) => ` ${t(`plans.${w.trim()}`)}`)}
                      </Tag>
                    ))}
                    <Tag>{t("plans.agentsTold", { count: v.agents.length })}</Tag>
                  </>
                }
              >
                {v.changes.length === 0 ? (
                  <div className="body soft">{t("plans.asNow")}</div>
                ) : (
                  <table className="data" aria-label={`${v.app} ${v.idc}`}>
                    <thead>
                      <tr>
                        <th>{t("points.point")}</th>
                        <th>{t("points.scene")}</th>
                        <th className="num">{t("plans.levelNow")}</th>
                        <th className="num">{t("plans.levelThen")}</th>
                        <th>{t("plans.action.strategy")}</th>
                        <th>{t("plans.action.available_rt")}</th>
                      </tr>
                    </thead>
                    <tbody>
                      {v.changes.map((c) => (
                        <tr key={`${c.scene} ${c.point} ${c.bucket}`}>
                          <td>{c.point}</td>
                          <td>{all(c.scene)}</td>
                          <td className="num">{c.before?.level ?? "–"}</td>
                          <td className="num">
                            <strong>{c.after?.level ?? "–"}</strong>
                          </td>
                          <td>{c.after?.strategy ?? "–"}</td>
                          <td>{c.after?.available_rt_ms ?? "–"}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                )}
              </Card>
            ))}
          </>
        )
      }
    </Loaded>
  );
}
