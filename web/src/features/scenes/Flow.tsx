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
import { memo, useDeferredValue, useEffect, useMemo, useState, type CSSProperties } from "react";
import { useNavigate } from "react-router";
import { useDark } from "../../ui/preferences";
import type { Mark } from "./draft";
import { Call } from "./FlowEdge";
import { Box, type Shown } from "./FlowNode";
import { edgeId } from "./graph";
import { layout, nodeHeight, nodeWidth, type Layout } from "./layout";
import { Finding, Live, secondOf } from "./live";
import type { SceneGraph, SceneLinkNode } from "./types";

const kinds = { box: Box };
const calls = { call: Call };

const fit = { maxZoom: 1, padding: 0.06 }; // a small graph is no larger than life

const same = (a: Shown["data"], b: Shown["data"]) =>
  a.node === b.node && a.down === b.down && a.to === b.to && a.mark === b.mark && a.bad === b.bad;

/** Fits the whole graph into the picture again when either changes its shape. */
function Refit({ of }: { of: Layout["spots"] }) {
  const { fitView } = useReactFlow();
  const width = useStore((s) => s.width);
  const height = useStore((s) => s.height);
  useEffect(() => {
    if (width && height) void fitView(fit);
  }, [fitView, of, width, height]);
  return null;
}

interface Props {
  label: string;
  graph: SceneGraph;
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
export default function Flow({
  find = "",
  live,
  ...rest
}: Props & { find?: string; live?: SceneLinkNode[] }) {
  const shown = useDeferredValue(live); // a key does not wait for the next second
  const second = useMemo(() => secondOf(shown), [shown]);
  return (
    <Finding value={find}>
      <Live value={second}>
        <Picture {...rest} />
      </Live>
    </Finding>
  );
}

const Picture = memo(function Picture(props: Props) {
  const dark = useDark();
  const navigate = useNavigate();
  const aspect = props.aspect ?? (props.size === "short" ? 3.5 : 2);
  const { spots, down, width, height } = useMemo(() => layout(props.graph, aspect), [props.graph, aspect]);
  const { path } = props;
  // A node of which nothing changed stays the same object: of two hundred only
  // those are drawn again that a mark made different.
  const [kept] = useState(() => new Map<string, Shown>());
  const nodes = useMemo<Shown[]>(
    () =>
      props.graph.nodes.map((n) => {
        const position = spots.get(n.id) ?? { x: 0, y: 0 };
        const data: Shown["data"] = {
          node: n,
          down,
          to: path?.(n.id),
          mark: props.marks?.get(n.id),
          bad: props.bad?.has(n.id),
        };
        const old = kept.get(n.id);
        if (old?.position === position && same(old.data, data)) return old;
        const made = { id: n.id, type: "box", position, width: nodeWidth, height: nodeHeight, data };
        kept.set(n.id, made);
        return made;
      }),
    [props.graph, props.marks, props.bad, spots, down, path, kept],
  );
  const edges = useMemo<Edge[]>(
    () => [
      ...props.graph.edges.map((e) => {
        const id = edgeId(e);
        const mark = props.marks?.get(id);
        return {
          id,
          type: "call",
          source: e.from,
          target: e.to,
          className: `${mark ? `mark-${mark}` : ""}${props.bad?.has(id) ? " bad" : ""}`,
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
    [props.graph, props.marks, props.bad],
  );
  return (
    <div
      className={`scene-flow ${props.size ?? ""}`}
      style={{ "--graph-width": width, "--graph-height": height } as CSSProperties}
      role="figure"
      aria-label={props.label}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={kinds}
        edgeTypes={calls}
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
