import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { createContext, memo, useContext, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ms, share } from "../../ui/format";
import { Tag } from "../../ui/marks";
import type { Mark } from "./draft";
import { late, sourceName } from "./format";
import { found } from "./links";
import { MarkTag } from "./MarkTag";
import type { SceneLinkNode, SceneNode } from "./types";

export type Shown = Node<{
  node: SceneNode;
  down: boolean;
  to?: string;
  live?: SceneLinkNode;
  mark?: Mark;
  bad?: boolean;
}>;

/**
 * What is looked for. A letter in the search changes only the look of nodes: it does
 * not pass through their data, so neither the graph's library nor what stands in two
 * hundred boxes is touched.
 */
export const Finding = createContext("");

function Look({ node, look, children }: { node: SceneNode; look: string; children: ReactNode }) {
  const hit = found(useContext(Finding), node);
  return <div className={`${look}${hit === undefined ? "" : hit ? " found" : " faded"}`}>{children}</div>;
}

/** A node of the picture: what it is, or what it has and does. */
export const Box = memo(function Box({ data }: NodeProps<Shown>) {
  const { t } = useTranslation();
  const { node, live: n } = data;
  const m = n?.recent ?? n?.live;
  const look = [
    "scene-node",
    node.external && "external",
    data.mark && data.mark !== "same" && `mark-${data.mark}`,
    data.bad && "bad",
  ];
  return (
    <Look node={node} look={look.filter(Boolean).join(" ")}>
      <Handle type="target" position={data.down ? Position.Top : Position.Left} />
      {data.to ? (
        <Link className="strong" to={data.to} onClick={(e) => e.stopPropagation()}>
          {node.id}
        </Link>
      ) : (
        <strong>{node.id}</strong>
      )}{" "}
      {node.external && <Tag>{t("scenes.external")}</Tag>} {data.mark && <MarkTag mark={data.mark} />}{" "}
      {data.bad && <Tag tone="bad">{t("scenes.wrong")}</Tag>}
      {!n && (
        <dl>
          {node.external && (
            <>
              <dt>{t("scenes.timeout")}</dt>
              <dd>{node.timeout || "–"}</dd>
              <dt>{t("scenes.network")}</dt>
              <dd>{node.network || "–"}</dd>
            </>
          )}
          {node.fed_by && (
            <>
              <dt>{t("scenes.fedBy")}</dt>
              <dd>{node.fed_by}</dd>
            </>
          )}
        </dl>
      )}
      {n && (
        <dl>
          {node.external ? (
            <>
              <dt>{t("scenes.timeout")}</dt>
              <dd>{ms(n.timeout_ms)}</dd>
            </>
          ) : (
            <>
              <dt>{t("scenes.level")}</dt>
              <dd>
                {m?.count ? m.level_mean.toFixed(1) : (n.level ?? "–")} / {n.max_level ?? "–"}
              </dd>
            </>
          )}
          <dt>{t("scenes.rt")}</dt>
          <dd>{ms(m?.count ? m.rt_mean_ms : undefined)}</dd>
          <dt>{t("scenes.late")}</dt>
          <dd>{share(late(m))}</dd>
          <dt>{t("scenes.source")}</dt>
          <dd>{sourceName(t, n.source)}</dd>
        </dl>
      )}
      <Handle type="source" position={data.down ? Position.Bottom : Position.Right} />
    </Look>
  );
});
