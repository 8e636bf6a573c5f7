import { Button } from "antd";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { Ask, Field } from "../../ui/Ask";
import { ProblemBox } from "../../ui/states";
import { useSettled } from "../../ui/useSettled";
import { useProfileCheck } from "./api";
import { placeOf, placeText } from "./document";
import { formatOf, rangeOf, replacedBy, samples, type Format } from "./profiles";
import type { Judgement, Profile, ProfileUpload, ScenePlace } from "./types";
import { uploadProfile } from "./writes";

interface Props {
  scene: string;
  places: ScenePlace[];
  place?: ScenePlace; // chosen at first
  profiles: Profile[];
  onClose: () => void;
}

/** Uploads what the levels of a point cost and earn. The server judges the document as it is written, by line and column. */
export function UploadDialog(props: Props) {
  const { t } = useTranslation();
  const area = useRef<HTMLTextAreaElement>(null);
  const [place, setPlace] = useState(placeText(props.place ?? props.places[0]));
  const [scene, setScene] = useState(props.scene);
  const [format, setFormat] = useState<Format>("csv");
  const [text, setText] = useState("");
  const [table, setTable] = useState("");
  const [measured, setMeasured] = useState("");
  const [unread, setUnread] = useState<unknown>();
  const where = placeOf(place);
  const upload: ProfileUpload | undefined = text.trim()
    ? {
        ...where,
        scene,
        table: table.trim() || undefined,
        format,
        document: text,
        ...(measured && { measured_at: new Date(measured).toISOString() }),
      }
    : undefined;
  const settled = useSettled(upload ? JSON.stringify(upload) : "", 300);
  const asked = settled ? (JSON.parse(settled) as ProfileUpload) : undefined;
  const check = useProfileCheck(asked);
  const current = asked && settled === JSON.stringify(upload);
  const replaces = replacedBy(props.profiles, where, scene, table.trim());

  const read = async (file: File | undefined) => {
    if (!file) return;
    setUnread(undefined);
    try {
      const body = await file.text();
      setText(body);
      setFormat(formatOf(file.name, body));
    } catch (e) {
      setUnread(e);
    }
  };
  const show = (line: number, column: number) => {
    const box = area.current;
    if (!box) return;
    const [from, to] = rangeOf(text, line, column, format);
    box.focus();
    box.setSelectionRange(from, to);
    box.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(box).lineHeight || "16"));
  };

  return (
    <Ask
      title={t("scenes.upload.title")}
      ok={t(replaces ? "scenes.upload.replace" : "scenes.upload.send")}
      width={820}
      okDisabled={
        !upload || !current || !check.data || check.isPlaceholderData || check.data.problems.length > 0
      }
      onClose={props.onClose}
      onOk={(reason) =>
        uploadProfile({ ...upload!, replaces: replaces || undefined, reason: reason || undefined })
      }
    >
      <div className="scene-fields">
        <Field label={t("scenes.point")}>
          <select className="native" value={place} onChange={(e) => setPlace(e.target.value)}>
            {props.places.map((p) => (
              <option key={placeText(p)} value={placeText(p)}>
                {placeText(p)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("scenes.upload.scope")}>
          <select className="native" value={scene} onChange={(e) => setScene(e.target.value)}>
            <option value={props.scene}>{t("scenes.upload.only", { scene: props.scene })}</option>
            <option value="*">{t("scenes.upload.everywhere")}</option>
          </select>
        </Field>
        <Field label={t("scenes.upload.measured")} hint={t("scenes.upload.measuredHint")}>
          <input
            type="datetime-local"
            className="native"
            value={measured}
            onChange={(e) => setMeasured(e.target.value)}
          />
        </Field>
        <Field label={t("scenes.upload.table")} hint={t("scenes.upload.tableHint")}>
          <input className="native" maxLength={64} value={table} onChange={(e) => setTable(e.target.value)} />
        </Field>
      </div>
      <div
        className="stack"
        onDragOver={(e) => e.preventDefault()}
        onDrop={(e) => {
          if (!e.dataTransfer.files.length) return;
          e.preventDefault();
          void read(e.dataTransfer.files[0]);
        }}
      >
        <div className="row wrap">
          <label className="scene-file">
            <span className="soft">{t("scenes.upload.file")}</span>{" "}
            <input
              type="file"
              accept=".csv,.json,.yaml,.yml,text/csv,application/json"
              onChange={(e) => void read(e.target.files?.[0])}
            />
          </label>
          <select
            className="native"
            aria-label={t("scenes.upload.format")}
            value={format}
            onChange={(e) => setFormat(e.target.value as Format)}
          >
            <option value="csv">CSV</option>
            <option value="json">JSON</option>
          </select>
          {!text && (
            <Button size="small" onClick={() => setText(samples[format])}>
              {t("scenes.upload.sample")}
            </Button>
          )}
        </div>
        <textarea
          ref={area}
          className="native scene-document"
          aria-label={t("scenes.upload.document")}
          placeholder={t("scenes.upload.documentHint")}
          spellCheck={false}
          wrap="off"
          rows={10}
          value={text}
          onChange={(e) => {
            // A first paste says what it is; after that the choice stands.
            if (!text) setFormat(formatOf("", e.target.value));
            setText(e.target.value);
          }}
        />
      </div>
      {unread !== undefined && <ProblemBox error={unread} />}
      {check.error && <ProblemBox error={check.error} />}
      {asked && check.data && <Verdict judgement={check.data} onShow={show} />}
      {replaces > 0 && <div className="note warn">{t("scenes.upload.replaces", { version: replaces })}</div>}
    </Ask>
  );
}

/** What is wrong, by line and column; each leads to its place in the document. */
function Verdict(props: { judgement: Judgement; onShow: (line: number, column: number) => void }) {
  const { t } = useTranslation();
  const { problems, warnings } = props.judgement;
  if (problems.length + warnings.length === 0)
    return (
      <div className="note good" role="status">
        {t("scenes.upload.sound")}
      </div>
    );
  const list = (items: Judgement["problems"]) => (
    <ul className="problems">
      {items.slice(0, 50).map((p, i) => (
        <li key={i}>
          <button
            type="button"
            disabled={!p.line}
            onClick={() => p.line && props.onShow(p.line, p.column ?? 1)}
          >
            <code>{p.line ? t("ui.lineColumn", { line: p.line, column: p.column ?? 1 }) : p.path}</code>{" "}
            {said(p.message)}
          </button>
        </li>
      ))}
    </ul>
  );
  return (
    <div className="stack" role="group" aria-label={t("scenes.judged")} aria-live="polite">
      {problems.length > 0 && (
        <div className="problem">
          <strong>{t("scenes.problems", { count: problems.length })}</strong>
          {list(problems)}
        </div>
      )}
      {warnings.length > 0 && (
        <div className="note warn">
          <strong>{t("scenes.warnings", { count: warnings.length })}</strong>
          {list(warnings)}
        </div>
      )}
    </div>
  );
}
