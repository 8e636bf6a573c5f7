import { Button } from "antd";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { Card } from "../../ui/marks";
import { useSceneCheck, type Tagged } from "./api";
import { inputOf } from "./document";
import { GraphEditor } from "./GraphEditor";
import { Judged } from "./Judged";
import type { SceneGraph } from "./types";
import { saveGraph } from "./writes";

/** The graph of a scene that stands, saved as its next version. The server judges it as it is drawn. */
export default function GraphTab({ tagged }: { tagged: Tagged }) {
  const { t } = useTranslation();
  const may = useCan("claim");
  const [graph, setGraph] = useState<SceneGraph>(tagged.scene.graph);
  const [asking, setAsking] = useState(false);
  const dirty = graph !== tagged.scene.graph;
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
            disabled={!dirty || !may || !!judgement?.problems.length}
            onClick={() => setAsking(true)}
          >
            {t("scenes.saveGraph")}
          </Button>
        </>
      }
    >
      <Judged label={t("scenes.judged")} judgement={judgement} graph={drawn} />
      <GraphEditor
        scene={tagged.scene.name}
        graph={graph}
        disabled={!may}
        judgement={judgement}
        onChange={setGraph}
      />
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
