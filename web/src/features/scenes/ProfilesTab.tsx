import { Button } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { Ask } from "../../ui/Ask";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { count, dateTime, useAgo } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { useProfiles } from "./api";
import { ProfileLevels } from "./ProfileLevels";
import { rowsOf, type Row } from "./profiles";
import type { Profile, Scene, SceneLive, ScenePlace } from "./types";
import { UploadDialog } from "./UploadDialog";
import { deleteProfile } from "./writes";

/** What the levels of a scene's points cost and earn, how old that is, and what of it a table is built from. */
export default function ProfilesTab({ scene, live }: { scene: Scene; live: SceneLive }) {
  const { t } = useTranslation();
  const apps = useMemo(() => [...new Set(scene.graph.nodes.map((n) => n.place.app))].sort(), [scene.graph]);
  const query = useProfiles(apps);
  if (scene.graph.nodes.length === 0)
    return <Empty title={t("scenes.noGraph")}>{t("scenes.noGraphHint")}</Empty>;
  return (
    <Loaded query={query}>{(profiles) => <Profiles scene={scene} live={live} profiles={profiles} />}</Loaded>
  );
}

function Profiles({ scene, live, profiles }: { scene: Scene; live: SceneLive; profiles: Profile[] }) {
  const { t } = useTranslation();
  const ago = useAgo();
  const may = useCan("claim");
  const [uploading, setUploading] = useState<ScenePlace | "any">();
  const [deleting, setDeleting] = useState<Profile>();
  const [open, setOpen] = useState<string>();
  const rows = rowsOf(scene.graph, profiles, scene.name, live);
  const lacking = rows.filter((r) => r.missing !== undefined).length;
  const old = rows.filter((r) => r.used && r.stale !== undefined).length;
  const columns: Column<Row>[] = [
    {
      key: "point",
      title: t("scenes.point"),
      render: (r) => (
        <>
          {r.node.id} {r.used && <Tag tone="good">{t("scenes.profile.used")}</Tag>}
        </>
      ),
      sort: byText((r) => r.node.id),
    },
    {
      key: "scope",
      title: t("scenes.upload.scope"),
      render: (r) =>
        !r.profile ? "–" : r.profile.scene === "*" ? t("scenes.upload.everywhere") : r.profile.scene,
    },
    {
      key: "source",
      title: t("scenes.source"),
      render: (r) => (r.profile ? <Tag>{t(`scenes.profile.sources.${r.profile.source}`)}</Tag> : "–"),
      sort: byText((r) => r.profile?.source ?? ""),
    },
    {
      key: "age",
      title: t("scenes.profile.measured"),
      render: (r) =>
        r.profile ? <span title={dateTime(r.profile.measured_at)}>{ago(r.profile.measured_at)}</span> : "–",
      sort: byNumber((r) => r.profile?.age_ms),
    },
    {
      key: "state",
      title: t("scenes.profile.state"),
      render: (r) =>
        r.missing !== undefined ? (
          <>
            <Tag tone="bad">{t("scenes.profile.missing")}</Tag>{" "}
            <span className="soft">{said(r.missing)}</span>
          </>
        ) : r.stale !== undefined ? (
          <>
            <Tag tone="warn">{t("scenes.profile.stale")}</Tag> <span className="soft">{said(r.stale)}</span>
          </>
        ) : (
          <Tag>{t("scenes.profile.fresh")}</Tag>
        ),
    },
    {
      key: "levels",
      title: t("scenes.profile.levels"),
      num: true,
      render: (r) =>
        r.profile ? (
          <Button
            size="small"
            aria-label={t("scenes.profile.show", { levels: r.profile.level_count, point: r.node.id })}
            aria-expanded={open === r.profile.id}
            onClick={() => setOpen((id) => (id === r.profile!.id ? undefined : r.profile!.id))}
          >
            {r.profile.level_count}
          </Button>
        ) : (
          "–"
        ),
      sort: byNumber((r) => r.profile?.level_count),
    },
    {
      key: "samples",
      title: t("scenes.profile.samples"),
      num: true,
      render: (r) =>
        r.profile ? (r.profile.samples ? count(r.profile.samples) : t("scenes.profile.untold")) : "–",
      sort: byNumber((r) => r.profile?.samples),
    },
    {
      key: "warnings",
      title: t("scenes.profile.warnings"),
      num: true,
      render: (r) =>
        r.profile?.warnings.length ? (
          <Tag tone="warn" title={r.profile.warnings.map((w) => said(w.message)).join("\n")}>
            {r.profile.warnings.length}
          </Tag>
        ) : (
          "–"
        ),
    },
    {
      key: "does",
      title: <span className="sr">{t("scenes.upload.send")}</span>,
      render: (r) => (
        <span className="row" style={{ justifyContent: "flex-end" }}>
          {r.profile?.source === "uploaded" && (
            <Button
              size="small"
              danger
              disabled={!may}
              aria-label={t("scenes.profile.deleteTitle", { point: r.node.id })}
              onClick={() => setDeleting(r.profile)}
            >
              {t("ui.delete")}
            </Button>
          )}
          <Button
            size="small"
            disabled={!may}
            aria-label={t("scenes.upload.of", { point: r.node.id })}
            onClick={() => setUploading(r.node.place)}
          >
            {t("scenes.upload.send")}
          </Button>
        </span>
      ),
    },
  ];
  const shown = rows.find((r) => r.profile?.id === open);
  return (
    <>
      {lacking > 0 && <div className="note bad">{t("scenes.profile.lacking", { count: lacking })}</div>}
      {old > 0 && <div className="note warn">{t("scenes.profile.someStale", { count: old })}</div>}
      <Card
        title={t("scenes.tabs.profiles")}
        flush
        actions={
          <>
            <span className="soft">{said(live.table)}</span>
            <Button type="primary" disabled={!may} onClick={() => setUploading("any")}>
              {t("scenes.upload.title")}
            </Button>
          </>
        }
      >
        <DataTable
          label={t("scenes.tabs.profiles")}
          columns={columns}
          rows={rows}
          rowKey={(r) => `${r.node.id} ${r.profile?.id ?? ""}`}
        />
      </Card>
      {shown?.profile && <ProfileLevels id={shown.profile.id} title={shown.node.id} />}
      {uploading && (
        <UploadDialog
          scene={scene.name}
          places={scene.graph.nodes.map((n) => n.place)}
          place={uploading === "any" ? undefined : uploading}
          profiles={profiles}
          onClose={() => setUploading(undefined)}
        />
      )}
      {deleting && (
        <Ask
          title={t("scenes.profile.deleteTitle", { point: `${deleting.app}/${deleting.point}` })}
          ok={t("ui.delete")}
          danger
          needReason
          onOk={(reason) => deleteProfile(deleting, reason)}
          onClose={() => setDeleting(undefined)}
        >
          {t("scenes.profile.deleteHint")}
        </Ask>
      )}
    </>
  );
}
