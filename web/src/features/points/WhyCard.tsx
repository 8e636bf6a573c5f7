import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { PointKey } from "../../api/types";
import { dateTime, isTime, clock } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useExplain } from "./api";
import { sourceTone } from "./PointsPage";
import { valueOf } from "../../ui/cause";
import { summaryOf, verdictOf } from "./why";

const local = (iso: string) => {
  const d = new Date(iso);
  return new Date(d.getTime() - d.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
};

/** "Why this gear", now or at a past second: every wish, the winner of each field first. */
export function WhyCard(props: {
  id: PointKey;
  at: string | undefined;
  onAt: (at: string | undefined) => void;
}) {
  const { t } = useTranslation();
  const query = useExplain(props.id, props.at);
  return (
    <Card
      title={t("points.why")}
      flush
      actions={
        <>
          <input
            type="datetime-local"
            step={1}
            className="native"
            aria-label={t("points.atSecond")}
            value={props.at ? local(props.at) : ""}
            onChange={(e) => props.onAt(e.target.value ? new Date(e.target.value).toISOString() : undefined)}
          />
          {props.at && (
            <Button size="small" onClick={() => props.onAt(undefined)}>
              {t("points.now")}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={query} rows={3}>
        {(e) => {
          const steps = e.steps ?? [];
          // A reason that holds for every field is said once.
          const shared =
            steps.length > 1 && steps.every((s) => s.reason === steps[0]!.reason)
              ? verdictOf(t, steps[0]!)
              : "";
          return (
            <>
              <div className="body">
                <strong data-testid="why-summary">{summaryOf(t, e)}</strong>
                <div className="row wrap soft" style={{ marginTop: 4 }}>
                  {props.at ? dateTime(e.at) : t("points.now")}
                  {e.version && <span>#{e.version.revision}</span>}
                  <Tag tone={e.replays ? "good" : "bad"} title={t("points.replaysHint")}>
                    {t(e.replays ? "points.replays" : "points.replaysNot")}
                  </Tag>
                </div>
                {shared && <div className="soft">{shared}</div>}
              </div>
              <ol className="why">
                {steps.map((s, i) => (
                  <li key={i} className={s.won ? "won" : ""}>
                    <span>{t(`points.field.${s.field}`)}</span>
                    <span className="row wrap" style={{ gap: 6 }}>
                      <span style={s.won ? { fontWeight: 600 } : { textDecoration: "line-through" }}>
                        {valueOf(t, s.value)}
                      </span>
                      <Tag tone={sourceTone[s.source]}>{t(`points.sources.${s.source}`)}</Tag>
                      {s.author && <span>{s.author}</span>}
                      {isTime(s.end) && <span>→ {clock(s.end)}</span>}
                    </span>
                    {!shared && <small>{verdictOf(t, s)}</small>}
                  </li>
                ))}
              </ol>
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
