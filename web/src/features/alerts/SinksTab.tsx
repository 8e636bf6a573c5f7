import { App, Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ask } from "../../ui/Ask";
import { byText, DataTable, type Column } from "../../ui/DataTable";
import { useAgo } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Tag } from "../../ui/marks";
import { Empty, Loaded, ProblemBox } from "../../ui/states";
import { deleteSink, testSink, useSinks, type Sink } from "./api";
import { SinkDialog } from "./SinkDialog";

export function SinksTab() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const ago = useAgo();
  const query = useSinks();
  const [editing, setEditing] = useState<Sink | "new">();
  const [deleting, setDeleting] = useState<Sink>();
  const [busy, setBusy] = useState("");
  const [outcome, setOutcome] = useState<{ sink: string; ok: boolean; error?: string; ms: number }>();
  const [failure, setFailure] = useState<unknown>();

  const test = async (s: Sink) => {
    setBusy(s.id);
    setFailure(undefined);
    try {
      const r = await testSink(s);
      setOutcome({ sink: s.name, ...r });
    } catch (e) {
      setFailure(e);
    }
    setBusy("");
  };

  const columns: Column<Sink>[] = [
    {
      key: "name",
      title: t("alerts.name"),
      render: (s) => <strong>{s.name}</strong>,
      sort: byText((s) => s.name),
    },
    {
      key: "kind",
      title: t("alerts.sinkKind"),
      render: (s) => t(`alerts.sinkKinds.${s.kind}`),
      sort: byText((s) => s.kind),
    },
    {
      key: "host",
      title: t("alerts.address"),
      render: (s) => (
        <span className="row" style={{ gap: 6 }}>
          <code>{s.host}</code>
          {s.signed && <Tag>{t("alerts.signed")}</Tag>}
        </span>
      ),
    },
    {
      key: "state",
      title: t("alerts.state"),
      render: (s) => (
        <Tag tone={s.enabled ? "good" : ""}>{t(s.enabled ? "alerts.enabled" : "alerts.off")}</Tag>
      ),
    },
    {
      key: "told",
      title: t("alerts.toldOf"),
      render: (s) =>
        [
          s.severity === "critical" ? t("alerts.onlyCritical") : t("alerts.allSeverities"),
          s.app && `app=${s.app}`,
          s.idc && `idc=${s.idc}`,
          s.kinds?.length ? s.kinds.map((k) => t(`alerts.kinds.${k}`)).join(", ") : "",
        ]
          .filter(Boolean)
          .join(" · "),
    },
    {
      key: "recent",
      title: t("alerts.lastMessage"),
      render: (s) => {
        const d = s.recent[0];
        if (!d) return <span className="soft">{t("alerts.never")}</span>;
        return (
          <span title={d.error}>
            <Tag tone={d.state === "sent" ? "good" : d.state === "given_up" ? "bad" : "warn"}>
              {t(`alerts.deliveries.${d.state}`)}
            </Tag>{" "}
            <span className="soft">{ago(d.sent_at ?? d.at)}</span>
            {d.error && <div className="danger">{d.error}</div>}
          </span>
        );
      },
    },
    {
      key: "do",
      title: "",
      width: 220,
      render: (s) => (
        <span className="row" style={{ gap: 6 }}>
          <Button size="small" loading={busy === s.id} onClick={() => void test(s)}>
            {t("alerts.test")}
          </Button>
          <Button size="small" onClick={() => setEditing(s)}>
            {t("alerts.edit")}
          </Button>
          <Button size="small" danger onClick={() => setDeleting(s)}>
            {t("alerts.delete")}
          </Button>
        </span>
      ),
    },
  ];
  const make = (
    <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={() => setEditing("new")}>
      {t("alerts.newSink")}
    </Button>
  );
  return (
    <>
      {outcome && (
        <div className={`note ${outcome.ok ? "good" : "bad"}`} role="status">
          {outcome.ok
            ? t("alerts.testOk", { sink: outcome.sink, ms: Math.round(outcome.ms) })
            : t("alerts.testFailed", { sink: outcome.sink, error: outcome.error })}
        </div>
      )}
      {failure !== undefined && <ProblemBox error={failure} />}
      <Loaded query={query}>
        {(data) =>
          data.items.length ? (
            <>
              <div className="toolbar">{make}</div>
              <DataTable
                label={t("alerts.tabs.sinks")}
                columns={columns}
                rows={data.items}
                rowKey={(s) => s.id}
                dim={(s) => !s.enabled}
                initialSort={{ key: "name" }}
              />
            </>
          ) : (
            <Empty title={t("alerts.noSink")} action={make}>
              {t("alerts.noSinkHint")}
            </Empty>
          )
        }
      </Loaded>
      {editing && (
        <SinkDialog sink={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {deleting && (
        <Ask
          title={t("alerts.deleteTitle", { name: deleting.name })}
          ok={t("alerts.delete")}
          danger
          onClose={() => setDeleting(undefined)}
          onOk={async (reason) => {
            await deleteSink(deleting, reason);
            void message.success(t("ui.done"));
          }}
        >
          <div>{t("alerts.deleteHint")}</div>
        </Ask>
      )}
    </>
  );
}
