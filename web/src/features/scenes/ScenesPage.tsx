import { Button } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useCan } from "../../api/session";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { dateTime } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { PageHead } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { useScenes } from "./api";
import type { Scene } from "./types";

const pathOf = (s: Scene) => `/scenes/${encodeURIComponent(s.name)}`;

export function ScenesPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const query = useScenes();
  const may = useCan("claim");
  const create = (
    <Button
      type="primary"
      icon={<Icon name="plus" size={13} />}
      disabled={!may}
      onClick={() => void navigate("/scenes/new")}
    >
      {t("scenes.new")}
    </Button>
  );
  const columns = useMemo<Column<Scene>[]>(
    () => [
      {
        key: "name",
        title: t("scenes.name"),
        render: (s) => (
          <>
            <Link to={pathOf(s)}>
              <strong>{s.name}</strong>
            </Link>{" "}
            <span className="soft">{s.description}</span>
          </>
        ),
        sort: byText((s) => s.name),
      },
      { key: "target", title: t("scenes.target"), render: (s) => s.target, num: true },
      { key: "statistic", title: t("scenes.statistic"), render: (s) => s.statistic ?? "mean" },
      { key: "ladder", title: t("scenes.ladder"), render: (s) => (s.ladder ?? []).join(" · ") || "–" },
      {
        key: "nodes",
        title: t("scenes.nodes"),
        render: (s) => s.graph.nodes.length,
        sort: byNumber((s) => s.graph.nodes.length),
        num: true,
      },
      { key: "version", title: t("scenes.version"), render: (s) => s.version, num: true },
      { key: "updated", title: t("scenes.built"), render: (s) => dateTime(s.updated_at) },
    ],
    [t],
  );
  return (
    <div className="page">
      <PageHead title={t("scenes.title")} actions={create} />
      <Loaded query={query}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title={t("scenes.none")} action={create}>
              {t("scenes.noneHint")}
            </Empty>
          ) : (
            <section className="card">
              <DataTable
                label={t("scenes.title")}
                columns={columns}
                rows={rows}
                rowKey={(s) => s.id}
                onOpen={(s) => void navigate(pathOf(s))}
                initialSort={{ key: "name" }}
              />
            </section>
          )
        }
      </Loaded>
    </div>
  );
}
