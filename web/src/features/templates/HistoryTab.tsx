import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import type { TemplateVersion } from "../../api/types";
import { Ask } from "../../ui/Ask";
import { DataTable, type Column } from "../../ui/DataTable";
import { dateTime } from "../../ui/format";
import { Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { rollBack, useVersions } from "./api";

export function HistoryTab(props: { name: string; etag: string; latest: number; onDone: () => void }) {
  const { t } = useTranslation();
  const query = useVersions(props.name);
  const mayPublish = useCan("publish");
  const [restoring, setRestoring] = useState<number>();
  const [force, setForce] = useState(false);
  const columns: Column<TemplateVersion>[] = [
    {
      key: "v",
      title: t("templates.version"),
      render: (v) => (
        <span className="tags">
          <strong>v{v.number}</strong>
          {v.number === props.latest && <Tag tone="good">{t("templates.newest")}</Tag>}
          {!!v.rolled_back_to && (
            <Tag tone="warn">{t("templates.restores", { version: v.rolled_back_to })}</Tag>
          )}
        </span>
      ),
    },
    { key: "at", title: t("templates.publishedAt"), render: (v) => dateTime(v.published_at) },
    { key: "who", title: t("templates.author"), render: (v) => v.author },
    { key: "why", title: t("ui.reason"), render: (v) => v.reason },
    {
      key: "hash",
      title: t("templates.hash"),
      render: (v) => <code title={v.hash}>{v.hash.slice(0, 12)}</code>,
    },
    {
      key: "do",
      title: "",
      render: (v) =>
        mayPublish &&
        v.number !== props.latest && (
          <Button size="small" onClick={() => setRestoring(v.number)}>
            {t("templates.rollBack")}
          </Button>
        ),
    },
  ];
  return (
    <Loaded query={query} rows={4}>
      {(page) =>
        page.items.length ? (
          <>
            <DataTable
              label={t("templates.tabs.history")}
              columns={columns}
              rows={page.items}
              rowKey={(v) => String(v.number)}
            />
            {restoring && (
              <Ask
                title={t("templates.rollBackTitle", { version: restoring })}
                ok={t("templates.rollBack")}
                needReason
                onClose={() => setRestoring(undefined)}
                onOk={async (reason) => {
                  await rollBack(props.name, props.etag, restoring, reason, force);
                  props.onDone();
                }}
              >
                <p style={{ margin: 0 }}>
                  {t("templates.rollBackHint", { version: restoring, next: props.latest + 1 })}
                </p>
                <label className="check">
                  <input type="checkbox" checked={force} onChange={(e) => setForce(e.target.checked)} />
                  {t("templates.force")}
                </label>
              </Ask>
            )}
          </>
        ) : (
          <Empty title={t("templates.nothingPublished")}>{t("templates.nothingPublishedHint")}</Empty>
        )
      }
    </Loaded>
  );
}
