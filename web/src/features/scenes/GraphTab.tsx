import { Button, Select } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { Card } from "../../ui/marks";
import { Skeleton } from "../../ui/states";
import { saveGraph, type Tagged } from "./api";
import type { SceneGraph } from "./types";

const Flow = lazy(() => import("./Flow"));

/** Draws what is over before what begins; the list beside it does the same by keyboard. */
export default function GraphTab({ tagged }: { tagged: Tagged }) {
  const { t } = useTranslation();
  const may = useCan("claim");
  const [graph, setGraph] = useState<SceneGraph>(tagged.scene.graph);
  const [asking, setAsking] = useState(false);
  const [from, setFrom] = useState<string>();
  const [to, setTo] = useState<string>();
  const dirty = graph !== tagged.scene.graph;
  const add = (a: string, b: string) =>
    setGraph((g) =>
      a === b || g.edges.some((e) => e.from === a && e.to === b)
        ? g
        : { ...g, edges: [...g.edges, { from: a, to: b }] },
    );
  const remove = (gone: { from: string; to: string }[]) =>
    setGraph((g) => ({
      ...g,
      edges: g.edges.filter((e) => !gone.some((x) => x.from === e.from && x.to === e.to)),
    }));
  const options = graph.nodes.map((n) => ({ value: n.id, label: n.id }));
  return (
    <Card
      title={t("scenes.tabs.graph")}
      actions={
        <>
          <Button disabled={!dirty} onClick={() => setGraph(tagged.scene.graph)}>
            {t("scenes.discard")}
          </Button>
          <Button type="primary" disabled={!dirty || !may} onClick={() => setAsking(true)}>
            {t("scenes.saveGraph")}
          </Button>
        </>
      }
    >
      <p className="soft">{t("scenes.graphHint")}</p>
      <Suspense fallback={<Skeleton />}>
        <Flow
          label={t("scenes.tabs.graph")}
          graph={graph}
          onConnect={may ? (c) => add(c.source, c.target) : undefined}
          onRemove={remove}
        />
      </Suspense>
      <h3>{t("scenes.edges")}</h3>
      <div className="row">
        <Select
          aria-label={t("scenes.from")}
          placeholder={t("scenes.from")}
          style={{ minWidth: 190 }}
          value={from}
          onChange={setFrom}
          options={options}
        />
        <Select
          aria-label={t("scenes.to")}
          placeholder={t("scenes.to")}
          style={{ minWidth: 190 }}
          value={to}
          onChange={setTo}
          options={options}
        />
        <Button disabled={!from || !to || !may} onClick={() => add(from!, to!)}>
          {t("scenes.addEdge")}
        </Button>
      </div>
      <ul>
        {graph.edges.map((e) => (
          <li key={`${e.from}>${e.to}`}>
            {e.from} → {e.to}{" "}
            <Button
              size="small"
              disabled={!may}
              aria-label={t("scenes.removeEdge", { edge: `${e.from} → ${e.to}` })}
              onClick={() => remove([e])}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
      {asking && (
        <Ask
          title={t("scenes.saveGraph")}
          ok={t("scenes.saveGraph")}
          needReason
          onOk={(reason) => saveGraph(tagged, graph, reason)}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}
