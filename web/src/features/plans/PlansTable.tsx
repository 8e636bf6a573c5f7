import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { byText, DataTable, type Column } from "../../ui/DataTable";
import { useAgo } from "../../ui/format";
import { Tag } from "../../ui/marks";
import { Countdown, StateTag, Wall } from "./marks";
import type { Plan } from "./types";
import { useReference } from "./useReference";

const pathOf = (p: Plan) => `/plans/${encodeURIComponent(p.name)}`;

function Next({ plan }: { plan: Plan }) {
  const now = useReference(0, 1_000);
  if (!plan.next || plan.state === "stopped") return <span className="soft">–</span>;
  return (
    <span className="row">
      <Wall at={plan.next.start} zone={plan.zone} />
      <span>{plan.next.name}</span>
      <span className="soft">
        <Countdown to={plan.next.start} now={now} />
      </span>
    </span>
  );
}

export function PlansTable({ plans }: { plans: Plan[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const ago = useAgo();
  const columns = useMemo<Column<Plan>[]>(
    () => [
      {
        key: "name",
        title: t("plans.name"),
        render: (p) => (
          <>
            <Link to={pathOf(p)}>
              <strong>{p.name}</strong>
            </Link>{" "}
            <span className="soft">{p.purpose}</span>
          </>
        ),
        sort: byText((p) => p.name),
      },
      {
        key: "state",
        title: t("plans.stateLabel"),
        render: (p) => (
          <span className="row">
            <StateTag state={p.state} />
            {p.glass && <Tag tone="bad">{t("plans.glassFlag")}</Tag>}
          </span>
        ),
        sort: byText((p) => p.state),
      },
      {
        key: "next",
        title: t("plans.next"),
        render: (p) => <Next plan={p} />,
        sort: byText((p) => p.next?.start ?? "9"),
      },
      { key: "zone", title: t("plans.zone"), render: (p) => p.zone, sort: byText((p) => p.zone) },
      {
        key: "repeat",
        title: t("plans.repeat"),
        render: (p) => (p.repeat ? <code>{p.repeat}</code> : <span className="soft">{t("plans.once")}</span>),
      },
      { key: "owner", title: t("plans.owner"), render: (p) => p.owner, sort: byText((p) => p.owner) },
      {
        key: "executor",
        title: t("plans.executor"),
        render: (p) => p.executor,
        sort: byText((p) => p.executor),
      },
      {
        key: "updated",
        title: t("plans.updated"),
        render: (p) => (
          <>
            {ago(p.updated_at)} <span className="soft">{p.updated_by}</span>
          </>
        ),
        sort: byText((p) => p.updated_at),
      },
    ],
    [t, ago],
  );
  return (
    <section className="card">
      <DataTable
        label={t("plans.title")}
        columns={columns}
        rows={plans}
        rowKey={(p) => p.id}
        onOpen={(p) => void navigate(pathOf(p))}
        dim={(p) => p.state === "stopped" || p.state === "done"}
        initialSort={{ key: "next" }}
      />
    </section>
  );
}
