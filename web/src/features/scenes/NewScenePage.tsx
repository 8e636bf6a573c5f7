import { Button } from "antd";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { Card, PageHead } from "../../ui/marks";
import { useSceneCheck } from "./api";
import { blank, elsewhere, inputOfForm, placeText, shareOf, type SceneForm } from "./document";
import { empty } from "./graph";
import { GraphEditor } from "./GraphEditor";
import { Judged } from "./Judged";
import { SceneFields } from "./SceneFields";
import type { SceneGraph } from "./types";
import { createScene } from "./writes";
import "./scenes.css";

/** A new scene: name, target and limits, and a graph that is drawn or drafted from its traffic. */
export function NewScenePage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useCan("claim");
  const [form, setForm] = useState<SceneForm>(blank);
  const [graph, setGraph] = useState<SceneGraph>(empty);
  const [asking, setAsking] = useState(false);
  const whole =
    form.name.trim() !== "" && form.target.trim() !== "" && shareOf(form.maxTimeouts) !== undefined;
  const input = useMemo(() => (whole ? inputOfForm(form, graph) : undefined), [form, graph, whole]);
  const asked = useDeferredValue(input);
  const check = useSceneCheck(asked);
  const judgement = asked ? check.data : undefined;
  return (
    <div className="page">
      <PageHead
        title={t("scenes.new")}
        actions={
          <>
            <Button onClick={() => void navigate("/scenes")}>{t("ui.cancel")}</Button>
            <Button
              type="primary"
              disabled={!may || !input || !judgement || judgement.problems.length > 0}
              onClick={() => setAsking(true)}
            >
              {t("ui.create")}
            </Button>
          </>
        }
      >
        <span className="soft">{t("scenes.newHint")}</span>
      </PageHead>
      <Judged label={t("scenes.judged")} judgement={elsewhere(judgement)} graph={asked?.graph} />
      <Card title={t("scenes.tabs.settings")}>
        <SceneFields
          form={form}
          disabled={!may}
          judgement={judgement}
          onChange={(c) => setForm((f) => ({ ...f, ...c }))}
        />
      </Card>
      <Card title={t("scenes.tabs.graph")}>
        <GraphEditor
          scene={form.name.trim()}
          graph={graph}
          disabled={!may}
          judgement={judgement}
          onChange={setGraph}
          onFront={(front) => setForm((f) => (f.front ? f : { ...f, front: placeText(front) }))}
        />
      </Card>
      {asking && input && (
        <Ask
          title={t("scenes.createTitle", { scene: input.name })}
          ok={t("ui.create")}
          onOk={async (reason) => {
            const made = await createScene({ ...input, reason: reason || undefined });
            const tab = made.graph.nodes.length ? "profiles" : "graph";
            void navigate(`/scenes/${encodeURIComponent(made.name)}?tab=${tab}`);
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}
