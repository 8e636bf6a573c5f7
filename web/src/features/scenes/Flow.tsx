import {
  Background,
  Controls,
  Handle,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
  type Connection,
  type Edge,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { memo, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { useDark } from "../../ui/preferences";
import { count, ms, share } from "../../ui/format";
import { Tag } from "../../ui/marks";
import type { Mark } from "./draft";
import { late, sourceName } from "./format";
import { edgeId } from "./graph";
import { found } from "./links";
import { layout, nodeHeight, nodeWidth, type Layout } from "./layout";
import { MarkTag } from "./MarkTag";
import type { SceneGraph, SceneLinkNode, SceneNode } from "./types";

type Shown = Node<{
  node: SceneNode;
  down: boolean;
  to?: string;
  live?: SceneLinkNode;
  found?: boolean;
  mark?: Mark;
  bad?: boolean;
}>;

const Box = memo(function Box({ data }: NodeProps<Shown>) {
  const { t } = useTranslation();
  const { node, live: n } = data;
  const m = n?.recent ?? n?.live;
  const look = [
    "scene-node",
    node.external && "external",
    data.found === true && "found",
    data.found === false && "faded",
    data.mark && data.mark !== "same" && `mark-${data.mark}`,
    data.bad && "bad",
  ];
  return (
    <div className={look.filter(Boolean).join(" ")}>
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
    </div>
  );
});

const kinds = { box: Box };

const fit = { maxZoom: 1 }; // a small graph is no larger than life

const same = (a: Shown["data"], b: Shown["data"]) =>
  a.node === b.node &&
  a.down === b.down &&
  a.to === b.to &&
  a.live === b.live &&
  a.found === b.found &&
  a.mark === b.mark &&
  a.bad === b.bad;

/** Fits the whole graph into the picture again when either changes its shape. */
function Refit({ of }: { of: Layout["spots"] }) {
  const { fitView } = useReactFlow();
  const width = useStore((s) => s.width);
  const height = useStore((s) => s.height);
  useEffect(() => {
    if (width && height) void fitView({ maxZoom: 1 });
  }, [fitView, of, width, height]);
  return null;
}

interface Props {
  label: string;
  graph: SceneGraph;
  live?: SceneLinkNode[];
  find?: string;
  size?: "tall" | "short";
  /** Width over height of the picture, about; it decides which way requests run. */
  aspect?: number;
  marks?: ReadonlyMap<string, Mark>; // of nodes by id and of edges by edgeId
  bad?: ReadonlySet<string>; // what is wrong: the same names
  path?: (id: string) => string;
  onConnect?: (c: Connection) => void;
  onRemove?: (edges: { from: string; to: string }[]) => void;
}

/** The graph of a scene: the link view, and, with onConnect, its editor. */
export default memo(function Flow(props: Props) {
  const dark = useDark();
  const navigate = useNavigate();
  const aspect = props.aspect ?? (props.size === "short" ? 3.5 : 2.8);
  const { spots, down } = useMemo(() => layout(props.graph, aspect), [props.graph, aspect]);
  const live = useMemo(() => new Map(props.live?.map((n) => [n.id, n])), [props.live]);
  const { find = "", path } = props;
  // A node of which nothing changed stays the same object: of two hundred only
  // those are drawn again that a second, or a letter in the search, made different.
  const [kept] = useState(() => new Map<string, Shown>());
  const nodes = useMemo<Shown[]>(
    () =>
      props.graph.nodes.map((n) => {
        const position = spots.get(n.id) ?? { x: 0, y: 0 };
        const data: Shown["data"] = {
          node: n,
          down,
          to: path?.(n.id),
          live: live.get(n.id),
          found: found(find, n),
          mark: props.marks?.get(n.id),
          bad: props.bad?.has(n.id),
        };
        const old = kept.get(n.id);
        if (old?.position === position && same(old.data, data)) return old;
        const made = { id: n.id, type: "box", position, width: nodeWidth, height: nodeHeight, data };
        kept.set(n.id, made);
        return made;
      }),
    [props.graph, props.marks, props.bad, live, spots, down, find, path, kept],
  );
  const flow = useMemo(() => {
    const of = (id: string) => (live.get(id)?.recent ?? live.get(id)?.live)?.qps;
    const most = Math.max(1, ...props.graph.nodes.map((n) => of(n.id) ?? 0));
    return { of, most };
  }, [props.graph, live]);
  const edges = useMemo<Edge[]>(
    () => [
      ...props.graph.edges.map((e) => {
        const qps = flow.of(e.to);
        const id = edgeId(e);
        const mark = props.marks?.get(id);
        return {
          id,
          source: e.from,
          target: e.to,
          className: `${mark ? `mark-${mark}` : ""}${props.bad?.has(id) ? " bad" : ""}`,
          label: qps === undefined ? undefined : `${count(qps)}/s`,
          style: qps === undefined ? undefined : { strokeWidth: 1 + (3 * qps) / flow.most },
        };
      }),
      ...props.graph.nodes
        .filter((n) => n.within)
        .map((n) => ({
          id: `within:${n.id}`,
          source: n.within!,
          target: n.id,
          animated: true,
          deletable: false,
          selectable: false,
        })),
    ],
    [props.graph, props.marks, props.bad, flow],
  );
  return (
    <div className={`scene-flow ${props.size ?? ""}`} role="figure" aria-label={props.label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={kinds}
        colorMode={dark ? "dark" : "light"}
        fitView
        fitViewOptions={fit}
        minZoom={0.05}
        onlyRenderVisibleElements={props.graph.nodes.length > 60}
        nodesDraggable={false}
        nodesConnectable={!!props.onConnect}
        onConnect={props.onConnect}
        onEdgesDelete={(gone) => props.onRemove?.(gone.map((e) => ({ from: e.source, to: e.target })))}
        nodesFocusable={!path}
        onNodeClick={(_, n) => path && void navigate(path(n.id))}
        proOptions={{ hideAttribution: true }}
      >
        <Refit of={spots} />
        <Background />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
});
