import { App, Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { byText, DataTable, type Column } from "../../ui/DataTable";
import { dateTime } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { endSilence, useSilences, type Silence } from "./api";
import { SilenceDialog } from "./SilenceDialog";

export function SilencesTab() {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const may = useCan("claim");
  const query = useSilences();
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<Silence>();
  const columns: Column<Silence>[] = [
    {
      key: "state",
      title: t("alerts.state"),
      render: (s) => (
        <Tag tone={s.active ? "info" : ""}>{t(s.active ? "alerts.inForce" : "alerts.ahead")}</Tag>
      ),
    },
    {
      key: "covers",
      title: t("alerts.covers"),
      render: (s) => (
        <>
          {s.kind ? t(`alerts.kinds.${s.kind}`) : t("alerts.allKinds")}
          {Object.entries(s.scope).map(([k, v]) => (
            <span key={k} className="mono">
              {" "}
              {k}={v}
            </span>
          ))}
        </>
      ),
    },
    { key: "reason", title: t("ui.reason"), render: (s) => s.reason },
    { key: "start", title: t("alerts.from"), render: (s) => dateTime(s.start), sort: byText((s) => s.start) },
    { key: "end", title: t("alerts.until"), render: (s) => dateTime(s.end), sort: byText((s) => s.end) },
    { key: "by", title: t("alerts.by"), render: (s) => s.created_by },
    {
      key: "do",
      title: "",
      width: 90,
      render: (s) =>
        may && (
          <Button size="small" onClick={() => setEnding(s)}>
            {t("alerts.end")}
          </Button>
        ),
    },
  ];
  const make = may && (
    <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={() => setMaking(true)}>
      {t("alerts.newSilence")}
    </Button>
  );
  return (
    <>
      <Loaded query={query}>
        {(data) =>
          data.items.length ? (
            <>
              <div className="toolbar">{make}</div>
              <DataTable
                label={t("alerts.tabs.silences")}
                columns={columns}
                rows={data.items}
                rowKey={(s) => s.id}
                initialSort={{ key: "end" }}
              />
            </>
          ) : (
            <Empty title={t("alerts.noSilence")} action={make}>
              {t("alerts.silenceHint")}
            </Empty>
          )
        }
      </Loaded>
      {making && <SilenceDialog onClose={() => setMaking(false)} />}
      {ending && (
        <Ask
          title={t("alerts.endTitle")}
          ok={t("alerts.end")}
          onClose={() => setEnding(undefined)}
          onOk={async (reason) => {
            await endSilence(ending.id, reason || t("alerts.endedEarly"));
            void message.success(t("ui.done"));
          }}
        >
          <div>{ending.reason}</div>
        </Ask>
      )}
    </>
  );
}
