import { Button } from "antd";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { Card } from "../../ui/marks";
import { useSceneCheck, type Tagged } from "./api";
import { inputOf } from "./document";
import { sameGraph } from "./graph";
import { GraphEditor } from "./GraphEditor";
import { Judged } from "./Judged";
import { Meanwhile } from "./Meanwhile";
import type { SceneGraph } from "./types";
import { saveGraph } from "./writes";

/** The graph of a scene that stands, saved as its next version. The server judges it as it is drawn. */
export default function GraphTab({ tagged }: { tagged: Tagged }) {
  const [saves, setSaves] = useState(0); // what was saved is what is edited next
  return <Drawn key={saves} tagged={tagged} onSaved={() => setSaves((n) => n + 1)} />;
}

function Drawn({ tagged: newest, onSaved }: { tagged: Tagged; onSaved: () => void }) {
  const { t } = useTranslation();
  const may = useCan("claim");
  const [tagged, setTagged] = useState(newest); // the version that the drawing began with
  const [graph, setGraph] = useState<SceneGraph>(tagged.scene.graph);
  const [asking, setAsking] = useState(false);
  const dirty = !sameGraph(graph, tagged.scene.graph);
  const newer = newest.scene.version !== tagged.scene.version;
  // A version that leaves the graph as it was, as every new target does, takes nothing from what is drawn.
  if (newer && (!dirty || sameGraph(tagged.scene.graph, newest.scene.graph))) {
    setTagged(newest);
    if (!dirty) setGraph(newest.scene.graph);
  }
  const drawn = useDeferredValue(graph);
  const input = useMemo(
    () => (dirty ? { ...inputOf(tagged.scene), graph: drawn } : undefined),
    [tagged, drawn, dirty],
  );
  const check = useSceneCheck(input);
  const judgement = dirty ? check.data : undefined;
  return (
    <Card
      title={t("scenes.tabs.graph")}
      actions={
        <>
          <Button disabled={!dirty} onClick={() => setGraph(tagged.scene.graph)}>
            {t("scenes.discard")}
          </Button>
          <Button
            type="primary"
            disabled={!dirty || newer || !may || !!judgement?.problems.length}
            onClick={() => setAsking(true)}
          >
            {t("scenes.saveGraph")}
          </Button>
        </>
      }
    >
      <div className="stack">
        {newer && dirty && (
          <Meanwhile
            newest={newest.scene}
            onMine={() => setTagged(newest)}
            onTheirs={() => {
              setTagged(newest);
              setGraph(newest.scene.graph);
            }}
          />
        )}
        <Judged label={t("scenes.judged")} judgement={judgement} graph={drawn} />
        <GraphEditor
          scene={tagged.scene.name}
          graph={graph}
          disabled={!may}
          judgement={judgement}
          onChange={setGraph}
        />
      </div>
      {asking && (
        <Ask
          title={t("scenes.saveGraph")}
          ok={t("scenes.saveGraph")}
          needReason
          onOk={async (reason) => {
            await saveGraph(tagged, graph, reason);
            onSaved();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  );
}
