import { Button, Input, Tooltip } from "antd";
import { useCallback, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Ask, Field } from "../../ui/Ask";
import { Icon } from "../../ui/icons";
import type { Jump } from "./Checks";
import type { Block } from "./cursor";
import type { Doc } from "./document";
import { copyGear, interpolateRange, parseLevels, setCells, type CellEdit } from "./edit";
import { expandColumn, type Column } from "./expand";
import { Grid } from "./Grid";

interface Props {
  doc: Doc;
  edit: (change: (doc: Doc) => Doc) => void;
  undo: () => void;
  redo: () => void;
  readOnly: boolean;
  jump: Jump | undefined;
}

export function GearsTab({ doc, edit, undo, redo, readOnly, jump }: Props) {
  const { t } = useTranslation();
  const columns = useColumns(doc);
  const block = useRef<Block>({ top: 0, left: 0, bottom: 0, right: 0 });
  const [selection, setSelection] = useState<Block>(block.current);
  const [copying, setCopying] = useState(false);
  const onSelect = useCallback((b: Block) => {
    block.current = b;
    setSelection(b);
  }, []);
  const onEdit = useCallback((edits: CellEdit[]) => edit((d) => setCells(d, edits)), [edit]);

  const names = columns.slice(selection.left, selection.right + 1).map((c) => c.doc.name);
  const spans = selection.bottom - selection.top > 1;
  const level = selection.top + 1;
  const bounds = {
    min: doc.levels.min ?? 1,
    max: doc.levels.max ?? doc.levels.count,
    start: doc.levels.default ?? doc.levels.max ?? doc.levels.count,
  };

  return (
    <>
      <div className="toolbar">
        <Tooltip title={t("templates.interpolateHint")}>
          <Button
            disabled={readOnly || !spans}
            onClick={() =>
              edit((d) =>
                interpolateRange(
                  d,
                  selection.top + 1,
                  selection.bottom + 1,
                  names,
                  (l, name) => columns.find((c) => c.doc.name === name)?.cells[l - 1]?.raw,
                ),
              )
            }
          >
            {t("templates.interpolate", { from: selection.top + 1, to: selection.bottom + 1 })}
          </Button>
        </Tooltip>
        <Button
          disabled={readOnly || !columns.length}
          icon={<Icon name="copy" size={13} />}
          onClick={() => setCopying(true)}
        >
          {t("templates.copyGear", { level })}
        </Button>
        <span
          className="soft grow nowrap"
          style={{ textAlign: "right", overflow: "hidden", textOverflow: "ellipsis" }}
        >
          {t("templates.gridHint")}
        </span>
      </div>
      {columns.length === 0 ? (
        <div className="card">
          <div className="state">
            <strong>{t("templates.noParameters")}</strong>
            {t("templates.noParametersHint")}
          </div>
        </div>
      ) : (
        <Grid
          columns={columns}
          count={doc.levels.count}
          bounds={bounds}
          readOnly={readOnly}
          onEdit={onEdit}
          onUndo={undo}
          onRedo={redo}
          onSelect={onSelect}
          goTo={jump?.level ? { level: jump.level, name: jump.name ?? "", tick: jump.tick } : undefined}
        />
      )}
      {copying && (
        <CopyGearDialog
          level={level}
          count={doc.levels.count}
          onClose={() => setCopying(false)}
          onOk={(to) => edit((d) => copyGear(d, columns, level, to))}
        />
      )}
    </>
  );
}

/** Expands again only the columns whose parameter or anchors changed. */
function useColumns(doc: Doc): Column[] {
  const before = useRef(new Map<string, { key: unknown[]; column: Column }>());
  return useMemo(() => {
    const next = new Map<string, { key: unknown[]; column: Column }>();
    const columns = doc.parameters.map((p, i) => {
      const key: unknown[] = [p, doc.levels.count];
      for (const g of doc.gears) key.push(g.level, g.set[p.name]);
      const id = `${i} ${p.name}`;
      // The cache lives in a ref on purpose: it only saves work, never changes the result.

      const old = before.current.get(id);
      const same = old && old.key.length === key.length && old.key.every((k, j) => k === key[j]);
      const entry = same ? old : { key, column: expandColumn(doc, p) };
      next.set(id, entry);
      return entry.column;
    });

    before.current = next;
    return columns;
  }, [doc]);
}

function CopyGearDialog(props: {
  level: number;
  count: number;
  onClose: () => void;
  onOk: (to: number[]) => void;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const levels = parseLevels(text, props.count)?.filter((l) => l !== props.level);
  return (
    <Ask
      title={t("templates.copyGear", { level: props.level })}
      ok={t("templates.copyGearOk")}
      noReason
      okDisabled={!levels?.length}
      onClose={props.onClose}
      onOk={() => {
        props.onOk(levels!);
        return Promise.resolve();
      }}
    >
      <Field
        label={t("templates.toLevels")}
        hint={t("templates.toLevelsHint", { count: props.count })}
        error={text && !levels?.length ? t("templates.levelsBad", { count: props.count }) : undefined}
      >
        <Input autoFocus value={text} placeholder="4-6, 9" onChange={(e) => setText(e.target.value)} />
      </Field>
    </Ask>
  );
}
