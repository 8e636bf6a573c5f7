import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { memo, useContext, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { ms, share } from "../../ui/format";
import { Tag } from "../../ui/marks";
import type { Mark } from "./draft";
import { late, sourceName } from "./format";
import { found } from "./links";
import { Finding, Live } from "./live";
import { MarkTag } from "./MarkTag";
import type { SceneNode } from "./types";

export type Shown = Node<{
  node: SceneNode;
  down: boolean;
  to?: string;
  mark?: Mark;
  bad?: boolean;
}>;

function Look({ node, look, children }: { node: SceneNode; look: string; children: ReactNode }) {
  const hit = found(useContext(Finding), node);
  return <div className={`${look}${hit === undefined ? "" : hit ? " found" : " faded"}`}>{children}</div>;
}

/** A node of the picture: what it is, or what it has and does. */
export const Box = memo(function Box({ data }: NodeProps<Shown>) {
  const { node } = data;
  const look = [
    "scene-node",
    node.external && "external",
    data.mark && data.mark !== "same" && `mark-${data.mark}`,
    data.bad && "bad",
  ];
  return (
    <Look node={node} look={look.filter(Boolean).join(" ")}>
      <Handle type="target" position={data.down ? Position.Top : Position.Left} />
      <Name {...data} />
      <Body node={node} />
      <Handle type="source" position={data.down ? Position.Bottom : Position.Right} />
    </Look>
  );
});

function Name({ node, to, mark, bad }: Shown["data"]) {
  const { t } = useTranslation();
  return (
    <>
      {to ? (
        <Link className="strong" to={to} onClick={(e) => e.stopPropagation()}>
          {node.id}
        </Link>
      ) : (
        <strong>{node.id}</strong>
      )}{" "}
      {node.external && <Tag>{t("scenes.external")}</Tag>} {mark && <MarkTag mark={mark} />}{" "}
      {bad && <Tag tone="bad">{t("scenes.wrong")}</Tag>}
    </>
  );
}

/** Every second comes by here and becomes text; what is drawn below is drawn when a text is another. */
function Body({ node }: { node: SceneNode }) {
  const n = useContext(Live).nodes.get(node.id);
  if (!n) return <Written node={node} />;
  const m = n.recent ?? n.live;
  const level = m?.count ? m.level_mean.toFixed(1) : (n.level ?? "–");
  return (
    <Figures
      external={!!node.external}
      limit={node.external ? ms(n.timeout_ms) : `${level} / ${n.max_level ?? "–"}`}
      rt={ms(m?.count ? m.rt_mean_ms : undefined)}
      late={share(late(m))}
      source={n.source}
    />
  );
}

const Figures = memo(function Figures(f: {
  external: boolean;
  limit: string;
  rt: string;
  late: string;
  source: string | undefined;
}) {
  const { t } = useTranslation();
  return (
    <dl>
      <dt>{t(f.external ? "scenes.timeout" : "scenes.level")}</dt>
      <dd>{f.limit}</dd>
      <dt>{t("scenes.rt")}</dt>
      <dd>{f.rt}</dd>
      <dt>{t("scenes.late")}</dt>
      <dd>{f.late}</dd>
      <dt>{t("scenes.source")}</dt>
      <dd>{sourceName(t, f.source)}</dd>
    </dl>
  );
});

/** What the graph itself says of a node that nothing is known to run. */
function Written({ node }: { node: SceneNode }) {
  const { t } = useTranslation();
  return (
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
  );
}
