import { App, Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import type { Claim, PointKey } from "../../api/types";
import { Ask, Field } from "../../ui/Ask";
import { reasonBy } from "../../ui/cause";
import { releaseClaim as releaseLine } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { clock, dateTime, isTime } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { extendClaim, releaseClaim, undoClaim, usePointClaims } from "./api";
import { durations } from "./OverrideDialog";

type Doing = { kind: "extend" | "release" | "undo"; claim: Claim };

/** The overrides of this point: extend, release, undo. */
export function ClaimsCard({ id, onDone }: { id: PointKey; onDone: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const query = usePointClaims(id);
  const maySet = useCan("claim");
  const [doing, setDoing] = useState<Doing>();
  const [shown, setShown] = useState(8);
  const [hold, setHold] = useState("30m");
  return (
    <Card title={t("points.overrides")} flush>
      <Loaded query={query} rows={2}>
        {(items) =>
          items.length ? (
            <>
              <ul className="why">
                {items.slice(0, shown).map((c) => (
                  <li key={c.id} className={c.active ? "won" : ""}>
                    <span>
                      <Tag tone={c.active ? "warn" : ""}>
                        {t(
                          c.active
                            ? "points.active"
                            : isTime(c.released)
                              ? "points.released"
                              : "points.ended",
                        )}
                      </Tag>
                    </span>
                    <span className="row wrap" style={{ gap: 6 }}>
                      <b>{c.value}</b> {c.author}
                      <span className="soft" title={dateTime(c.end)}>
                        {clock(c.start)} → {clock(isTime(c.released) ? c.released : c.end)}
                      </span>
                    </span>
                    <small>
                      {c.scope.scene} / {c.scope.idc} / {c.scope.app} / {c.scope.point} ·{" "}
                      {reasonBy(c.author, c.reason)}
                    </small>
                    <span className="row wrap" style={{ gridColumn: 2 }}>
                      {maySet && c.active && (
                        <>
                          <Button size="small" onClick={() => setDoing({ kind: "extend", claim: c })}>
                            {t("points.extend")}
                          </Button>
                          <Button size="small" onClick={() => setDoing({ kind: "release", claim: c })}>
                            {t("points.release")}
                          </Button>
                        </>
                      )}
                      {maySet && (
                        <Button size="small" onClick={() => setDoing({ kind: "undo", claim: c })}>
                          {t("ui.rollout.undo")}
                        </Button>
                      )}
                      <CopyAs size="small" yaml={() => c} cli={releaseLine(c)} />
                    </span>
                  </li>
                ))}
              </ul>
              {items.length > shown && (
                <div className="body">
                  <Button size="small" onClick={() => setShown(shown + 20)}>
                    {t("ui.more")}
                  </Button>
                </div>
              )}
            </>
          ) : (
            <div className="body soft">{t("points.noOverride")}</div>
          )
        }
      </Loaded>
      {doing && (
        <Ask
          title={t(`points.ask.${doing.kind}`, { value: doing.claim.value })}
          ok={t(doing.kind === "undo" ? "ui.rollout.undo" : `points.${doing.kind}`)}
          needReason
          onClose={() => setDoing(undefined)}
          onOk={async (reason) => {
            if (doing.kind === "extend") await extendClaim(doing.claim.id, hold, reason);
            else if (doing.kind === "release") await releaseClaim(doing.claim.id, reason);
            else await undoClaim(doing.claim.id, reason);
            void message.success(t("ui.done"));
            onDone();
          }}
        >
          {doing.kind === "extend" && (
            <Field label={t("points.forNow")}>
              <select className="native" value={hold} onChange={(e) => setHold(e.target.value)}>
                {durations.map((d) => (
                  <option key={d}>{d}</option>
                ))}
              </select>
            </Field>
          )}
        </Ask>
      )}
    </Card>
  );
}
