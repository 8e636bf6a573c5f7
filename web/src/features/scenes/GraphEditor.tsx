import { Button } from "antd";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icons";
import { Skeleton } from "../../ui/states";
import { DraftReview } from "./DraftReview";
import { addEdge, addNode, partOf, removeEdges } from "./graph";
import { NodesTable } from "./NodesTable";
import { useDeclared } from "./api";
import type { Judgement, SceneGraph, ScenePlace } from "./types";

const Flow = lazy(() => import("./Flow"));

interface Props {
  scene: string; // whose traffic a draft is made of
  graph: SceneGraph;
  disabled?: boolean;
  judgement?: Judgement;
  onChange: (change: (g: SceneGraph) => SceneGraph) => void;
  onFront?: (front: ScenePlace) => void; // a draft that was taken knows who measures the whole
}

/** The graph of a scene under edit: drawn, as tables by keyboard, or drafted from traffic. */
export function GraphEditor(props: Props) {
  const { t } = useTranslation();
  const { graph, disabled } = props;
  const [drafting, setDrafting] = useState(false);
  const bad = useMemo(
    () =>
      new Set(
        (props.judgement?.problems ?? []).flatMap((p) => {
          const part = partOf(graph, p.path);
          return [part.node, part.edge].filter((x) => x !== undefined);
        }),
      ),
    [props.judgement, graph],
  );
  if (drafting)
    return (
      <DraftReview
        scene={props.scene}
        have={graph}
        onClose={() => setDrafting(false)}
        onTake={(g, front) => {
          props.onChange(() => g);
          if (front) props.onFront?.(front);
          setDrafting(false);
        }}
      />
    );
  const change = disabled ? undefined : props.onChange;
  return (
    <div className="stack">
      <div className="row wrap">
        <Button
          icon={<Icon name="points" size={13} />}
          disabled={disabled || !props.scene}
          onClick={() => setDrafting(true)}
        >
          {t("scenes.draft")}
        </Button>
        <span className="soft">{t(props.scene ? "scenes.draftHint" : "scenes.draftNeedsName")}</span>
      </div>
      {graph.nodes.length > 0 ? (
        <>
          <Suspense fallback={<Skeleton />}>
            <Flow
              label={t("scenes.tabs.graph")}
              graph={graph}
              bad={bad}
              size="short"
              onConnect={change && ((c) => change((g) => addEdge(g, c.source, c.target)))}
              onRemove={change && ((gone) => change((g) => removeEdges(g, gone)))}
            />
          </Suspense>
          <p className="soft">{t("scenes.graphHint")}</p>
        </>
      ) : (
        <div className="state">
          <strong>{t("scenes.noGraph")}</strong>
          <div>{t("scenes.noGraphHint")}</div>
        </div>
      )}
      <NodesTable graph={graph} bad={bad} onChange={change} />
      <AddNode graph={graph} onChange={change} />
      <Edges graph={graph} onChange={change} />
    </div>
  );
}

type Change = ((change: (g: SceneGraph) => SceneGraph) => void) | undefined;

/** Adds a declared point; one that nobody declares is refused by the server, and said. */
function AddNode({ graph, onChange }: { graph: SceneGraph; onChange: Change }) {
  const { t } = useTranslation();
  const declared = useDeclared();
  const [app, setApp] = useState("");
  const [point, setPoint] = useState("");
  const known = declared.data ?? [];
  const is = known.find((d) => d.app === app && d.point === point);
  const [call, setCall] = useState<boolean>();
  const external = call ?? is?.external ?? false;
  const there = graph.nodes.some((n) => n.place.app === app && n.place.point === point);
  return (
    <div className="row wrap" role="group" aria-label={t("scenes.addNode")}>
      <input
        className="native"
        aria-label={t("scenes.app")}
        placeholder={t("scenes.app")}
        list="scene-apps"
        maxLength={63}
        value={app}
        onChange={(e) => setApp(e.target.value.trim())}
      />
      <datalist id="scene-apps">
        {[...new Set(known.map((d) => d.app))].map((a) => (
          <option key={a} value={a} />
        ))}
      </datalist>
      <input
        className="native"
        aria-label={t("scenes.point")}
        placeholder={t("scenes.point")}
        list="scene-points"
        maxLength={63}
        value={point}
        onChange={(e) => {
          setPoint(e.target.value.trim());
          setCall(undefined);
        }}
      />
      <datalist id="scene-points">
        {known
          .filter((d) => d.app === app)
          .map((d) => (
            <option key={d.point} value={d.point} />
          ))}
      </datalist>
      <label className="check">
        <input type="checkbox" checked={external} onChange={(e) => setCall(e.target.checked)} />
        {t("scenes.isCall")}
      </label>
      <Button
        disabled={!onChange || !app || !point || there}
        onClick={() => {
          onChange?.((g) => addNode(g, { app, point }, external));
          setPoint("");
          setCall(undefined);
        }}
      >
        {t("scenes.addNode")}
      </Button>
    </div>
  );
}

/** What is over before what begins, as a list: the same as drawing it, by keyboard. */
function Edges({ graph, onChange }: { graph: SceneGraph; onChange: Change }) {
  const { t } = useTranslation();
  const [from, setFrom] = useState("");
  const [to, setTo] = useState("");
  if (graph.nodes.length < 2) return null;
  const choice = (label: string, value: string, set: (v: string) => void) => (
    <select className="native" aria-label={label} value={value} onChange={(e) => set(e.target.value)}>
      <option value="">{label}</option>
      {graph.nodes.map((n) => (
        <option key={n.id} value={n.id}>
          {n.id}
        </option>
      ))}
    </select>
  );
  return (
    <section aria-label={t("scenes.edges")} className="stack">
      <h3 style={{ margin: 0 }}>{t("scenes.edges")}</h3>
      <div className="row wrap">
        {choice(t("scenes.from"), from, setFrom)}→{choice(t("scenes.to"), to, setTo)}
        <Button
          disabled={!from || !to || from === to || !onChange}
          onClick={() => onChange?.((g) => addEdge(g, from, to))}
        >
          {t("scenes.addEdge")}
        </Button>
      </div>
      <ul className="scene-edges">
        {graph.edges.map((e) => (
          <li key={`${e.from}>${e.to}`}>
            {e.from} → {e.to}{" "}
            <Button
              size="small"
              disabled={!onChange}
              aria-label={t("scenes.removeEdge", { edge: `${e.from} → ${e.to}` })}
              onClick={() => onChange?.((g) => removeEdges(g, [e]))}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
