import { Button } from "antd";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { CopyAs } from "../../ui/CopyAs";
import { DataTable, type Column } from "../../ui/DataTable";
import { dateTime } from "../../ui/format";
import { Card } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useSceneCheck, useVersions, type Tagged } from "./api";
import { elsewhere, formOf, inputOf, inputOfForm, ontoNewer, shareOf, type SceneForm } from "./document";
import { Judged } from "./Judged";
import { labels } from "./labels";
import { Meanwhile } from "./Meanwhile";
import { SceneFields } from "./SceneFields";
import type { Scene } from "./types";
import { deleteScene, restoreScene, saveScene } from "./writes";

/** What a scene is, its versions, and its end. */
export default function SettingsTab({ tagged }: { tagged: Tagged }) {
  const [saves, setSaves] = useState(0); // what was saved is what is edited next
  return <Written key={saves} tagged={tagged} onSaved={() => setSaves((n) => n + 1)} />;
}

function Written({ tagged: newest, onSaved }: { tagged: Tagged; onSaved: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useCan("claim");
  const [tagged, setTagged] = useState(newest); // the version that the typing began with
  const { scene } = tagged;
  const [form, setForm] = useState<SceneForm>(() => formOf(scene));
  const [asking, setAsking] = useState<"save" | "delete">();
  const [back, setBack] = useState<Scene>();
  const dirty = JSON.stringify(form) !== JSON.stringify(formOf(scene));
  const newer = newest.scene.version !== scene.version;
  const onto = newer ? ontoNewer(formOf(scene), form, formOf(newest.scene)) : undefined;
  // Fields that nobody else touched go along; where both changed one, it is asked.
  if (onto && onto.both.length === 0) {
    setTagged(newest);
    setForm(onto.form);
  }
  const whole = form.target.trim() !== "" && shareOf(form.maxTimeouts) !== undefined;
  const input = useMemo(
    () => (dirty && whole ? inputOfForm(form, scene.graph) : undefined),
    [form, scene, dirty, whole],
  );
  const asked = useDeferredValue(input);
  const check = useSceneCheck(asked);
  const judgement = asked ? check.data : undefined;
  return (
    <>
      <Card
        title={t("scenes.tabs.settings")}
        actions={
          <>
            <CopyAs yaml={() => inputOf(scene)} cli={`allspark scene get ${scene.name}`} />
            <Button danger disabled={!may} onClick={() => setAsking("delete")}>
              {t("ui.delete")}
            </Button>
            <Button disabled={!dirty} onClick={() => setForm(formOf(scene))}>
              {t("scenes.discard")}
            </Button>
            <Button
              type="primary"
              disabled={!input || newer || !may || !!judgement?.problems.length}
              onClick={() => setAsking("save")}
            >
              {t("ui.save")}
            </Button>
          </>
        }
      >
        {onto && onto.both.length > 0 && (
          <Meanwhile
            newest={newest.scene}
            both={t("scenes.bothChanged", { fields: onto.both.map((k) => t(labels[k])).join(", ") })}
            onMine={() => {
              setTagged(newest);
              setForm(onto.form);
            }}
            onTheirs={() => {
              setTagged(newest);
              setForm(formOf(newest.scene));
            }}
          />
        )}
        <Judged label={t("scenes.judged")} judgement={elsewhere(judgement)} graph={scene.graph} />
        <SceneFields
          form={form}
          fixedName
          disabled={!may}
          judgement={judgement}
          onChange={(c) => setForm((f) => ({ ...f, ...c }))}
        />
      </Card>
      <Versions scene={newest.scene} onRestore={may ? setBack : undefined} />
      {asking === "save" && input && (
        <Ask
          title={t("scenes.saveTitle", { scene: scene.name })}
          ok={t("ui.save")}
          needReason
          onOk={async (reason) => {
            await saveScene(tagged, { ...input, reason });
            onSaved();
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === "delete" && (
        <Ask
          title={t("scenes.deleteTitle", { scene: scene.name })}
          ok={t("ui.delete")}
          danger
          needReason
          onOk={async (reason) => {
            await deleteScene(newest, reason);
            void navigate("/scenes");
          }}
          onClose={() => setAsking(undefined)}
        >
          {t("scenes.deleteHint")}
        </Ask>
      )}
      {back && (
        <Ask
          title={t("scenes.restoreTitle", { version: back.version })}
          ok={t("scenes.restore")}
          needReason
          onOk={async (reason) => {
            await restoreScene(newest, back.version, reason);
            onSaved();
          }}
          onClose={() => setBack(undefined)}
        />
      )}
    </>
  );
}

function Versions({ scene, onRestore }: { scene: Scene; onRestore?: (s: Scene) => void }) {
  const { t } = useTranslation();
  const query = useVersions(scene.name);
  const columns = useMemo<Column<Scene>[]>(
    () => [
      { key: "version", title: t("scenes.version"), render: (s) => s.version, num: true },
      { key: "at", title: t("scenes.built"), render: (s) => dateTime(s.updated_at) },
      { key: "by", title: t("scenes.by"), render: (s) => s.updated_by },
      { key: "target", title: t("scenes.target"), render: (s) => s.target, num: true },
      { key: "ladder", title: t("scenes.ladder"), render: (s) => (s.ladder ?? []).join(" · ") || "–" },
      {
        key: "nodes",
        title: t("scenes.size"),
        render: (s) => `${s.graph.nodes.length} / ${s.graph.edges.length}`,
        num: true,
      },
      { key: "reason", title: t("ui.reason"), render: (s) => s.reason || "–" },
      {
        key: "restore",
        title: <span className="sr">{t("scenes.restore")}</span>,
        render: (s) =>
          s.version === scene.version ? (
            t("scenes.inForce")
          ) : (
            <Button
              size="small"
              disabled={!onRestore}
              aria-label={t("scenes.restoreTitle", { version: s.version })}
              onClick={() => onRestore?.(s)}
            >
              {t("scenes.restore")}
            </Button>
          ),
      },
    ],
    [t, scene.version, onRestore],
  );
  return (
    <Card title={t("scenes.versions")} flush>
      <Loaded query={query}>
        {(page) => (
          <DataTable
            label={t("scenes.versions")}
            columns={columns}
            rows={page.items}
            rowKey={(s) => String(s.version)}
            maxHeight="360px"
          />
        )}
      </Loaded>
    </Card>
  );
}
