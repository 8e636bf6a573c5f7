import { Button, Dropdown } from "antd";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker, useNavigate, useParams, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { Ask } from "../../ui/Ask";
import { CopyAs } from "../../ui/CopyAs";
import { clock, count, share } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { PageHead, Tag, Tile } from "../../ui/marks";
import { Loaded, Skeleton } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { deleteGroup, useGroup } from "./api";
import { applyGroup, calibrateGroup, showGroup } from "./commands";
import { inputOf, none } from "./draft";
import { Meter, StateTag } from "./marks";
import { alertsOf } from "./rules";
import { SaveBar } from "./SaveBar";
import { SettingsTab } from "./SettingsTab";
import type { QuotaState } from "./types";
import { digits } from "./units";
import { useDraft } from "./useDraft";

const NowTab = lazy(() => import("./NowTab"));
const TuneTab = lazy(() => import("./TuneTab"));
const BudgetTab = lazy(() => import("./BudgetTab"));

const tabs = ["now", "tune", "calibrate", "settings"] as const;

export function GroupPage() {
  const { group = "" } = useParams();
  const query = useGroup(group);
  return (
    <div className="page">
      <Loaded query={query}>
        {({ data, now }) => <Group key={data.id} name={group} group={data} now={now} />}
      </Loaded>
    </div>
  );
}

function Group({ name, group: g, now }: { name: string; group: QuotaState; now: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const mayEdit = useCan("bind");
  const draft = useDraft(g);
  const [deleting, setDeleting] = useState(false);
  const asked = params.get("tab");
  const tab = tabs.find((x) => x === asked) ?? "now";
  const go = (key: string) =>
    setParams(
      (p) => {
        if (key === "now") p.delete("tab");
        else p.set("tab", key);
        return p;
      },
      { replace: true },
    );
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      draft.dirty && !deleting && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!draft.dirty) return;
    const onLeave = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener("beforeunload", onLeave);
    return () => window.removeEventListener("beforeunload", onLeave);
  }, [draft.dirty]);

  const command =
    tab === "calibrate" ? calibrateGroup(g.name) : tab === "now" ? showGroup(g.name) : applyGroup(g.name);
  return (
    <>
      <PageHead
        title={g.name}
        actions={
          <>
            {/* The YAML is what "quota apply" reads. */}
            <CopyAs yaml={() => inputOf(g, none)} cli={command} />
            {mayEdit && (
              <Dropdown
                trigger={["click"]}
                menu={{
                  items: [
                    {
                      key: "delete",
                      label: t("quota.delete"),
                      danger: true,
                      onClick: () => setDeleting(true),
                    },
                  ],
                }}
              >
                <Button icon={<Icon name="more" size={13} />} aria-label={t("quota.more")} />
              </Dropdown>
            )}
          </>
        }
      >
        <StateTag state={g.status.state} title={said(g.status.trouble)} />
        <Tag>{t(`quota.law.${g.settings.law}`)}</Tag>
        {draft.dirty && <Tag tone="info">{t("quota.unsaved")}</Tag>}
        {g.description && <span className="soft">{g.description}</span>}
      </PageHead>
      <Alerts group={g} now={now} />
      <Tiles group={g} now={now} />
      <Tabs
        label={t("quota.sections")}
        items={tabs.map((key) => ({ key, label: t(`quota.tab.${key}`) }))}
        value={tab}
        onChange={go}
      />
      <Suspense fallback={<Skeleton />}>
        {tab === "now" && <NowTab name={name} group={g} />}
        {tab === "tune" && <TuneTab name={name} group={g} draft={draft} readOnly={!mayEdit} />}
        {tab === "calibrate" && (
          <BudgetTab
            name={name}
            group={g}
            mayUse={mayEdit}
            onUse={(total) => {
              draft.set("total_quota", String(total));
              go("tune");
            }}
          />
        )}
        {tab === "settings" && <SettingsTab draft={draft} readOnly={!mayEdit} />}
      </Suspense>
      {mayEdit && draft.dirty && <SaveBar name={name} draft={draft} newest={g} />}
      {deleting && (
        <Ask
          title={t("quota.deleteTitle", { name: g.name })}
          ok={t("ui.delete")}
          danger
          onClose={() => setDeleting(false)}
          onOk={async (reason) => {
            await deleteGroup(g, reason);
            await navigate("/quota");
          }}
        >
          {t("quota.deleteHint", { quota: digits(g.settings.default_quota) })}
        </Ask>
      )}
      {blocker.state === "blocked" && (
        <Ask
          title={t("quota.leave")}
          ok={t("quota.leaveOk")}
          danger
          noReason
          onClose={() => blocker.state === "blocked" && blocker.reset()}
          onOk={() => {
            blocker.proceed();
            return Promise.resolve();
          }}
        />
      )}
    </>
  );
}

function Alerts({ group, now }: { group: QuotaState; now: number }) {
  const { t } = useTranslation();
  const alerts = alertsOf(group, now);
  return (
    <div aria-live="polite" className="stack" style={{ gap: 6, display: alerts.length ? undefined : "none" }}>
      {alerts.map((a) => (
        <div key={a.key} className={`note ${a.tone} row`}>
          <Icon name="warn" size={14} />
          <span>
            {t(`quota.alert.${a.key}`, {
              n: a.n,
              of: a.of,
              text: a.key === "old" ? clock(a.text) : said(a.text),
              quota: digits(group.settings.default_quota),
            })}
          </span>
        </div>
      ))}
    </div>
  );
}

function Tiles({ group: g, now }: { group: QuotaState; now: number }) {
  const { t } = useTranslation();
  const { status: s, settings: set } = g;
  const known = s.tick > 0;
  const used = known && s.total_quota > 0 ? s.sum / s.total_quota : undefined;
  const age = s.at ? Math.max(0, (now - Date.parse(s.at)) / 1000) : undefined;
  return (
    <div className="tiles">
      <Tile
        label={t("quota.base")}
        value={known ? digits(s.base) : "–"}
        unit={t("quota.unit.perRequest")}
        tone={s.terms.bound < 0 ? "warning" : undefined}
        note={t(s.terms.bound < 0 ? "quota.atMin" : s.terms.bound > 0 ? "quota.atMax" : "quota.within", {
          lo: digits(set.q_min),
          hi: digits(set.q_max),
        })}
      />
      <Tile
        label={t("quota.sum")}
        value={<Meter share={used} />}
        tone={used !== undefined && used > 1.1 ? "danger" : undefined}
        note={
          known
            ? t("quota.sumOf", { sum: digits(s.sum), total: digits(s.total_quota), window: set.window })
            : " "
        }
      />
      <Tile
        label={t("quota.arrivals")}
        value={known ? count(s.arrivals) : "–"}
        unit={t("quota.unit.requestsPerSecond")}
        note={t("quota.consumedNote", { n: known ? digits(s.consumed) : "–" })}
      />
      <Tile
        label={t("quota.agentsLive")}
        value={`${s.crew.live} / ${s.crew.agents}`}
        tone={s.crew.fallback > 0 ? "danger" : undefined}
        note={t("quota.crewNote", { fallback: s.crew.fallback, returning: s.crew.returning })}
      />
      <Tile
        label="CPU"
        value={share(s.cpu, 0)}
        tone={(s.cpu ?? 0) > set.watermark ? "warning" : undefined}
        note={t("quota.cpuNote", { n: s.machines, watermark: share(set.watermark, 0) })}
      />
      {set.normalise && (
        <Tile
          label={t("quota.meanWeight")}
          value={s.mean_weight ? digits(s.mean_weight) : "–"}
          note={t("quota.scaleNote", { scale: digits(s.scale) })}
        />
      )}
      <Tile
        label={t("quota.decided")}
        value={clock(s.at)}
        tone={s.state === "lost" ? "danger" : undefined}
        note={
          age === undefined
            ? t("quota.never")
            : t(s.decides ? "quota.decidesHere" : "quota.decidesElsewhere", { epoch: s.epoch })
        }
      />
    </div>
  );
}
