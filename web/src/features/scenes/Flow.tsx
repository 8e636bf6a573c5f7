import {
  Background,
  Controls,
  ReactFlow,
  useReactFlow,
  useStore,
  type Connection,
  type Edge,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { memo, useEffect, useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useDark } from "../../ui/preferences";
import { count } from "../../ui/format";
import type { Mark } from "./draft";
import { Box, Finding, type Shown } from "./FlowNode";
import { edgeId } from "./graph";
import { layout, nodeHeight, nodeWidth, type Layout } from "./layout";
import type { SceneGraph, SceneLinkNode } from "./types";

const kinds = { box: Box };

const fit = { maxZoom: 1 }; // a small graph is no larger than life

const same = (a: Shown["data"], b: Shown["data"]) =>
  a.node === b.node &&
  a.down === b.down &&
  a.to === b.to &&
  a.live === b.live &&
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
export default function Flow({ find = "", ...rest }: Props & { find?: string }) {
  return (
    <Finding value={find}>
      <Picture {...rest} />
    </Finding>
  );
}

const Picture = memo(function Picture(props: Props) {
  const dark = useDark();
  const navigate = useNavigate();
  const aspect = props.aspect ?? (props.size === "short" ? 3.5 : 2.8);
  const { spots, down } = useMemo(() => layout(props.graph, aspect), [props.graph, aspect]);
  const live = useMemo(() => new Map(props.live?.map((n) => [n.id, n])), [props.live]);
  const { path } = props;
  // A node of which nothing changed stays the same object: of two hundred only
  // those are drawn again that a second made different.
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
          mark: props.marks?.get(n.id),
          bad: props.bad?.has(n.id),
        };
        const old = kept.get(n.id);
        if (old?.position === position && same(old.data, data)) return old;
        const made = { id: n.id, type: "box", position, width: nodeWidth, height: nodeHeight, data };
        kept.set(n.id, made);
        return made;
      }),
    [props.graph, props.marks, props.bad, live, spots, down, path, kept],
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
