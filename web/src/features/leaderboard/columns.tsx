import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { byNumber, byText, type Column } from "../../ui/DataTable";
import { share } from "../../ui/format";
import { Level, Sparkline, Tag } from "../../ui/marks";
import type { BoardRow, Figures, Query } from "./api";

export const idOf = (r: BoardRow) => `${r.scene}/${r.idc}/${r.app}/${r.point}`;

/** A place on the board and the way it came: never by colour alone. */
function Place({ row }: { row: BoardRow }) {
  const { t } = useTranslation();
  const by = row.previous_rank ? row.previous_rank - row.rank : 0;
  return (
    <span className="place">
      <b>{row.rank}</b>
      {!row.previous_rank ? (
        <small className="soft">{t("leaderboard.new")}</small>
      ) : by ? (
        <small className={by > 0 ? "up" : "down"} title={t("leaderboard.was", { rank: row.previous_rank })}>
          {by > 0 ? "▲" : "▼"} {Math.abs(by)}
        </small>
      ) : (
        <small className="soft">=</small>
      )}
    </span>
  );
}

/** A figure over the same figure of the stretch before. */
function Beside(props: {
  row: BoardRow;
  of: (f: Figures) => number;
  format: (v: number) => string;
  bad?: boolean;
}) {
  const { row, of, format } = props;
  const now = of(row.figures);
  return (
    <span className="beside">
      <span className={props.bad && now > 0 ? "warning" : ""}>{format(now)}</span>
      <small>{row.previous ? format(of(row.previous)) : "–"}</small>
    </span>
  );
}

const rate = (v: number) => (v >= 100 ? v.toFixed(0) : v.toFixed(1));
const percent = (v: number) => share(v, v > 0 && v < 0.1 ? 1 : 0);

export function useColumns(group: Query["group"]): Column<BoardRow>[] {
  const { t } = useTranslation();
  return useMemo<Column<BoardRow>[]>(() => {
    const figure = (
      key: string,
      of: (f: Figures) => number,
      format: (v: number) => string,
      bad?: boolean,
    ): Column<BoardRow> => ({
      key,
      title: <span title={t(`leaderboard.hints.${key}`)}>{t(`leaderboard.figures.${key}`)}</span>,
      num: true,
      render: (r) => <Beside row={r} of={of} format={format} bad={bad} />,
      sort: byNumber((r) => of(r.figures)),
    });
    const names: Column<BoardRow>[] =
      group === "point"
        ? [
            {
              key: "point",
              title: t("leaderboard.groups.point"),
              render: (r) => (
                <>
                  <Link to={`/points/${[r.scene, r.idc, r.app, r.point].map(encodeURIComponent).join("/")}`}>
                    {r.app} / <strong>{r.point}</strong>
                  </Link>{" "}
                  <span className="soft">
                    {r.scene} · {r.idc}
                  </span>
                </>
              ),
              sort: byText((r) => `${r.app} ${r.point} ${r.idc} ${r.scene}`),
            },
            {
              key: "now",
              title: t("leaderboard.now"),
              render: (r) =>
                r.now ? (
                  <span className="row">
                    <Level level={r.now.level} max={r.ceiling || 1} min={r.floor} />
                    {r.now.source && (
                      <Tag tone={r.now.source === "manual" ? "warn" : ""}>
                        {t(`points.sources.${r.now.source}`)}
                      </Tag>
                    )}
                  </span>
                ) : (
                  <span className="soft">{t("leaderboard.silent")}</span>
                ),
              sort: byNumber((r) => r.now?.level),
            },
            figure(
              "level",
              (f) => f.level,
              (v) => v.toFixed(1),
            ),
          ]
        : [
            {
              key: group,
              title: t(`leaderboard.groups.${group}`),
              render: (r) => <strong>{r[group]}</strong>,
              sort: byText((r) => r[group]),
            },
            {
              key: "members",
              title: t("leaderboard.members"),
              num: true,
              render: (r) => r.members,
              sort: byNumber((r) => r.members),
            },
          ];
    return [
      {
        key: "rank",
        title: t("leaderboard.rank"),
        render: (r) => <Place row={r} />,
        sort: byNumber((r) => r.rank),
        width: 80,
      },
      ...names,
      figure("height", (f) => f.height, percent),
      {
        key: "trend",
        title: t("leaderboard.trend"),
        render: (r) => <Sparkline values={r.trend.map((v) => (v < 0 ? null : v))} width={110} />,
      },
      figure("movement", (f) => f.movement, rate),
      figure("flapping", (f) => f.flaps, rate),
      figure("floor", (f) => f.floor, percent, true),
      figure("overridden", (f) => f.overridden, percent, true),
    ];
  }, [t, group]);
}
