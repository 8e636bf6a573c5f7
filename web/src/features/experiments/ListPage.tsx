import "./experiments.css";
import { Button } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { byText, DataTable, type Column } from "../../ui/DataTable";
import { dateTime } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { PageHead, Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { useExperiments, type Experiment } from "./api";
import { Create } from "./Form";
import { State } from "./marks";

const pathOf = (x: Experiment) => `/experiments/${encodeURIComponent(x.name)}`;
const states = ["running", "draft", "ended"] as const;

export function ListPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const query = useExperiments();
  const may = useCan("claim");
  const [creating, setCreating] = useState(false);
  const [params, setParams] = useSearchParams();
  const only = params.get("state") ?? "";
  const columns = useMemo<Column<Experiment>[]>(
    () => [
      {
        key: "name",
        title: t("experiments.one"),
        render: (x) => (
          <Link to={pathOf(x)}>
            <strong>{x.name}</strong>
          </Link>
        ),
        sort: byText((x) => x.name),
      },
      {
        key: "state",
        title: t("experiments.state"),
        render: (x) => <State experiment={x} />,
        sort: byText((x) => x.state),
      },
      { key: "reason", title: t("experiments.question"), render: (x) => x.reason },
      {
        key: "scope",
        title: t("experiments.scope"),
        render: (x) => (
          <span className="mono">{[x.scope.scene, x.scope.idc, x.scope.app, x.scope.point].join("/")}</span>
        ),
      },
      {
        key: "arms",
        title: t("experiments.arms"),
        render: (x) => (
          <span className="row" style={{ gap: 4 }}>
            {x.arms.map((a) => (
              <Tag key={a.name}>
                {a.name} {a.share} %
              </Tag>
            ))}
          </span>
        ),
      },
      {
        key: "from",
        title: t("experiments.started"),
        render: (x) => <span className="soft">{dateTime(x.started_at)}</span>,
        sort: byText((x) => x.started_at ?? ""),
      },
      {
        key: "until",
        title: t("experiments.end"),
        render: (x) => <span className="soft">{dateTime(x.ended_at ?? x.ends_at)}</span>,
        sort: byText((x) => x.ended_at ?? x.ends_at ?? ""),
      },
    ],
    [t],
  );
  const button = may && (
    <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={() => setCreating(true)}>
      {t("experiments.new")}
    </Button>
  );
  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead title={t("experiments.title")} actions={button} />
      <Loaded query={query}>
        {(page) => {
          if (!page.items.length)
            return (
              <Empty title={t("experiments.none")} action={button}>
                {t("experiments.noneHint")}
              </Empty>
            );
          const rows = page.items.filter((x) => !only || x.state === only);
          return (
            <>
              <div className="toolbar">
                <select
                  className="native"
                  aria-label={t("experiments.state")}
                  value={only}
                  onChange={(e) =>
                    setParams(e.target.value ? { state: e.target.value } : {}, { replace: true })
                  }
                >
                  <option value="">{t("ui.all")}</option>
                  {states.map((s) => (
                    <option key={s} value={s}>
                      {t(`experiments.states.${s}`)}
                    </option>
                  ))}
                </select>
              </div>
              {rows.length ? (
                <DataTable
                  label={t("experiments.title")}
                  columns={columns}
                  rows={rows}
                  rowKey={(x) => x.id}
                  onOpen={(x) => void navigate(pathOf(x))}
                  dim={(x) => x.state === "ended"}
                />
              ) : (
                <Empty title={t("experiments.noMatch")} />
              )}
            </>
          );
        }}
      </Loaded>
      {creating && <Create onClose={() => setCreating(false)} onDone={(x) => void navigate(pathOf(x))} />}
    </div>
  );
}
