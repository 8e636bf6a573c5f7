import { Button } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { count, dateTime } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { PageHead } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { useGroups } from "./api";
import { selectorText } from "./draft";
import { NewGroup } from "./NewGroup";
import { Meter, StateTag } from "./marks";
import type { QuotaState } from "./types";
import { digits } from "./units";

const pathOf = (g: QuotaState) => `/quota/${encodeURIComponent(g.name)}`;

export function GroupsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const query = useGroups();
  const mayEdit = useCan("bind");
  const [creating, setCreating] = useState(false);
  const [text, setText] = useAddressText();

  const columns = useMemo<Column<QuotaState>[]>(
    () => [
      {
        key: "name",
        title: t("quota.group"),
        render: (g) => (
          <Link to={pathOf(g)}>
            <strong>{g.name}</strong>
          </Link>
        ),
        sort: byText((g) => g.name),
      },
      {
        key: "state",
        title: t("quota.stateTitle"),
        render: (g) => <StateTag state={g.status.state} title={said(g.status.trouble)} />,
        sort: byText((g) => g.status.state),
      },
      {
        key: "sum",
        title: t("quota.used"),
        render: (g) => (
          <Meter share={g.status.total_quota > 0 ? g.status.sum / g.status.total_quota : undefined} />
        ),
        sort: byNumber((g) => g.status.sum / g.status.total_quota),
      },
      {
        key: "total",
        title: t("quota.field.total_quota"),
        num: true,
        render: (g) => `${digits(g.settings.total_quota)} / ${g.settings.window}`,
        sort: byNumber((g) => g.settings.total_quota),
      },
      {
        key: "base",
        title: t("quota.base"),
        num: true,
        render: (g) => (g.status.tick ? digits(g.status.base) : "–"),
        sort: byNumber((g) => g.status.base),
      },
      {
        key: "arrivals",
        title: t("quota.arrivals"),
        num: true,
        render: (g) => (g.status.tick ? `${count(g.status.arrivals)} /s` : "–"),
        sort: byNumber((g) => g.status.arrivals),
      },
      {
        key: "agents",
        title: t("quota.agentsLive"),
        num: true,
        render: (g) => (
          <span className={g.status.crew.fallback > 0 ? "danger" : ""}>
            {g.status.crew.live}/{g.status.crew.agents}
            {g.status.crew.fallback > 0 && ` · ${t("quota.rung.fallback")} ${g.status.crew.fallback}`}
          </span>
        ),
        sort: byNumber((g) => g.status.crew.fallback),
      },
      {
        key: "law",
        title: t("quota.field.law"),
        render: (g) => t(`quota.law.${g.settings.law}`),
        sort: byText((g) => g.settings.law),
      },
      {
        key: "members",
        title: t("quota.members"),
        render: (g) => (
          <span className="mono" title={g.members.map(selectorText).join("\n")}>
            {selectorText(g.members[0]!)}
            {g.members.length > 1 && ` +${g.members.length - 1}`}
          </span>
        ),
      },
      {
        key: "updated",
        title: t("quota.updated"),
        render: (g) => (
          <span className="soft">
            {dateTime(g.updated_at)} · {g.updated_by}
          </span>
        ),
        sort: byText((g) => g.updated_at),
      },
    ],
    [t],
  );

  const create = mayEdit && (
    <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={() => setCreating(true)}>
      {t("quota.new")}
    </Button>
  );
  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead title={t("quota.title")} actions={create} />
      <Loaded query={query}>
        {(items) => {
          if (!items.length)
            return (
              <Empty title={t("quota.none")} action={create}>
                {t("quota.noneHint")}
              </Empty>
            );
          const needle = text.toLowerCase();
          const rows = items.filter((g) =>
            `${g.name} ${g.description} ${g.members.map(selectorText).join(" ")}`
              .toLowerCase()
              .includes(needle),
          );
          return (
            <>
              <div className="toolbar" data-search>
                <SearchField label={t("quota.search")} text={text} onText={setText} width={260} />
              </div>
              {rows.length ? (
                <DataTable
                  label={t("quota.title")}
                  columns={columns}
                  rows={rows}
                  rowKey={(g) => g.id}
                  onOpen={(g) => void navigate(pathOf(g))}
                  dim={(g) => g.status.state === "off"}
                  initialSort={{ key: "name" }}
                />
              ) : (
                <Empty title={t("quota.noMatch")} />
              )}
            </>
          );
        }}
      </Loaded>
      {creating && (
        <NewGroup
          onClose={() => setCreating(false)}
          onDone={(g) => void navigate(`/quota/${encodeURIComponent(g)}?tab=settings`)}
        />
      )}
    </div>
  );
}
