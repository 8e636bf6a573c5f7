import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { approveGlass, useGlasses } from "../../api/breakglass";
import { takeLeave, useCurrentLeave } from "../../api/glass";
import { useCan, useMe } from "../../api/session";
import { Ask, Field } from "../../ui/Ask";
import { dateTime } from "../../ui/format";
import { GlassDialog } from "../../ui/GlassDialog";
import { Card, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import * as api from "./api";
import { wallOf } from "./calendar";
import type { Freeze } from "./types";

const here = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const local = (ms: number) => wallOf(ms, here()).slice(0, 16).replace(" ", "T");

/** Times in which nobody changes what machines do, leave to break them, and scenes that need a second person. */
export default function FreezesTab() {
  const { t } = useTranslation();
  const me = useMe();
  const mayFreeze = useCan("settings");
  const maySet = useCan("claim");
  const freezes = api.useFreezes();
  const glasses = useGlasses();
  const scenes = api.useProtectedScenes();
  const used = useCurrentLeave();
  const [dialog, setDialog] = useState<"freeze" | "glass" | "protect">();
  const [lifting, setLifting] = useState<Freeze>();
  const [approving, setApproving] = useState<string>();
  const [open, setOpen] = useState<string>();
  return (
    <div className="columns">
      <div className="stack">
        <Card
          title={t("plans.freezes")}
          flush
          actions={
            mayFreeze && (
              <Button size="small" onClick={() => setDialog("freeze")}>
                {t("plans.freeze")}
              </Button>
            )
          }
        >
          <Loaded query={freezes} rows={2}>
            {(rows) =>
              rows.length === 0 ? (
                <div className="body soft">{t("plans.noFreezes")}</div>
              ) : (
                <table className="data" aria-label={t("plans.freezes")}>
                  <thead>
                    <tr>
                      <th>{t("points.app")}</th>
                      <th>{t("points.idc")}</th>
                      <th>{t("plans.from")}</th>
                      <th>{t("plans.until")}</th>
                      <th>{t("ui.reason")}</th>
                      <th>{t("plans.by")}</th>
                      <th />
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((f) => (
                      <tr key={f.id}>
                        <td>{f.app}</td>
                        <td>{f.idc}</td>
                        <td>{dateTime(f.from)}</td>
                        <td>{dateTime(f.until)}</td>
                        <td title={f.reason}>{f.reason}</td>
                        <td>{f.created_by}</td>
                        <td>
                          {mayFreeze && (
                            <Button size="small" danger onClick={() => setLifting(f)}>
                              {t("plans.lift")}
                            </Button>
                          )}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )
            }
          </Loaded>
        </Card>
        <Card
          title={t("plans.glasses")}
          flush
          actions={
            maySet && (
              <Button size="small" onClick={() => setDialog("glass")}>
                {t("ui.glass.ask")}
              </Button>
            )
          }
        >
          <Loaded query={glasses} rows={2}>
            {(rows) =>
              rows.length === 0 ? (
                <div className="body soft">{t("plans.noGlasses")}</div>
              ) : (
                <table className="data" aria-label={t("plans.glasses")}>
                  <thead>
                    <tr>
                      <th>{t("plans.by")}</th>
                      <th>{t("ui.reason")}</th>
                      <th>{t("plans.until")}</th>
                      <th>{t("plans.approval")}</th>
                      <th />
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((g) => (
                      <tr key={g.id}>
                        <td>{g.requested_by}</td>
                        <td title={g.reason}>{g.reason}</td>
                        <td>{dateTime(g.until)}</td>
                        <td>
                          {g.approved_by ? (
                            <Tag tone="good">{g.approved_by}</Tag>
                          ) : (
                            <Tag tone="warn">{t("ui.glass.waiting")}</Tag>
                          )}
                        </td>
                        <td>
                          <span className="row" style={{ justifyContent: "flex-end" }}>
                            {!g.approved_by && maySet && me.data?.name !== g.requested_by && (
                              <Button size="small" type="primary" onClick={() => setApproving(g.id)}>
                                {t("plans.do_.approve")}
                              </Button>
                            )}
                            {g.approved_by &&
                              me.data?.name === g.requested_by &&
                              (used?.id === g.id ? (
                                <Button size="small" onClick={() => takeLeave(undefined)}>
                                  {t("ui.glass.stop")}
                                </Button>
                              ) : (
                                <Button
                                  size="small"
                                  danger
                                  onClick={() => takeLeave({ id: g.id, until: g.until })}
                                >
                                  {t("ui.glass.use")}
                                </Button>
                              ))}
                          </span>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )
            }
          </Loaded>
        </Card>
      </div>
      <Card
        title={t("plans.protectedScenes")}
        flush
        actions={
          mayFreeze && (
            <Button size="small" onClick={() => setDialog("protect")}>
              {t("plans.protect")}
            </Button>
          )
        }
      >
        <Loaded query={scenes} rows={2}>
          {(rows) => (
            <ul className="why">
              {rows.length === 0 && (
                <li style={{ display: "block" }}>
                  <span className="soft">{t("plans.noProtected")}</span>
                </li>
              )}
              {rows.map((s) => (
                <li key={s} style={{ gridTemplateColumns: "minmax(0,1fr) auto", color: "var(--text)" }}>
                  <strong>{s}</strong>
                  {mayFreeze && (
                    <Button size="small" onClick={() => setOpen(s)}>
                      {t("plans.unprotect")}
                    </Button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      {dialog === "freeze" && <FreezeDialog onClose={() => setDialog(undefined)} />}
      {dialog === "glass" && <GlassDialog onClose={() => setDialog(undefined)} />}
      {dialog === "protect" && <ProtectDialog onClose={() => setDialog(undefined)} />}
      {lifting && (
        <Ask
          title={t("plans.liftTitle")}
          ok={t("plans.lift")}
          danger
          onOk={(reason) => api.lift(lifting.id!, reason)}
          onClose={() => setLifting(undefined)}
        >
          <div>{lifting.reason}</div>
        </Ask>
      )}
      {approving && (
        <Ask
          title={t("plans.glassApprove")}
          ok={t("plans.do_.approve")}
          danger
          needReason
          onOk={(reason) => approveGlass(approving, reason)}
          onClose={() => setApproving(undefined)}
        >
          <div>{t("plans.glassApproveHint")}</div>
        </Ask>
      )}
      {open && (
        <Ask
          title={t("plans.unprotectTitle", { scene: open })}
          ok={t("plans.unprotect")}
          danger
          onOk={(reason) => api.protect(open, false, reason)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

function FreezeDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [now] = useState(() => Date.now());
  const [app, setApp] = useState("*");
  const [idc, setIDC] = useState("*");
  const [from, setFrom] = useState(local(now));
  const [until, setUntil] = useState(local(now + 4 * 3_600_000));
  const iso = (s: string) => new Date(s).toISOString();
  return (
    <Ask
      title={t("plans.freezeTitle")}
      ok={t("plans.freeze")}
      needReason
      danger
      okDisabled={!from || !until}
      onOk={(reason) =>
        api.freeze({ app: app || "*", idc: idc || "*", from: iso(from), until: iso(until), reason })
      }
      onClose={onClose}
    >
      <div>{t("plans.freezeHint")}</div>
      <div className="row">
        <Field label={t("points.app")}>
          <input className="native" value={app} onChange={(e) => setApp(e.target.value)} />
        </Field>
        <Field label={t("points.idc")}>
          <input className="native" value={idc} onChange={(e) => setIDC(e.target.value)} />
        </Field>
      </div>
      <div className="row">
        <Field label={t("plans.from")}>
          <input
            className="native"
            type="datetime-local"
            value={from}
            onChange={(e) => setFrom(e.target.value)}
          />
        </Field>
        <Field label={t("plans.until")} hint={here()}>
          <input
            className="native"
            type="datetime-local"
            value={until}
            onChange={(e) => setUntil(e.target.value)}
          />
        </Field>
      </div>
    </Ask>
  );
}

function ProtectDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [scene, setScene] = useState("");
  return (
    <Ask
      title={t("plans.protectTitle")}
      ok={t("plans.protect")}
      okDisabled={!scene.trim()}
      onOk={(reason) => api.protect(scene.trim(), true, reason)}
      onClose={onClose}
    >
      <Field label={t("points.scene")} hint={t("plans.protectHint")}>
        <input className="native" value={scene} onChange={(e) => setScene(e.target.value)} />
      </Field>
    </Ask>
  );
}
