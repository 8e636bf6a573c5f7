import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
} from "react";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { parseTable, writeTable } from "./clipboard";
import { at, blockOf, isOne, move, type Block, type Cursor } from "./cursor";
import { rawFromCell, type CellEdit } from "./edit";
import { CellField } from "./CellField";
import type { Column } from "./expand";
import { Head, Row, rowHeight } from "./GridRow";
import { paramText } from "./typecheck";
import "./grid.css";

interface Props {
  columns: Column[];
  count: number;
  bounds: { min: number; max: number; start: number };
  readOnly?: boolean;
  onEdit: (edits: CellEdit[]) => void;
  onUndo: () => void;
  onRedo: () => void;
  onSelect?: (block: Block) => void;
  /** Where to put the cursor, from a problem in a list. */
  goTo?: { level: number; name: string; tick: number };
}

const spare = 6; // rows painted beyond the window

/**
 * The gears as a spreadsheet: a row a level, a column a parameter. Written for
 * paint time: only rows in sight exist, a row repaints only when its cells or the
 * cursor on it changed, and one element has the focus whatever cell is current.
 */
export function Grid(props: Props) {
  const { columns, count, readOnly, onEdit } = props;
  const { t } = useTranslation();
  const scroller = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState<Cursor>(at(0, 0));
  const [editing, setEditing] = useState<{ text: string; whole: boolean } | undefined>();
  const [view, setView] = useState({ top: 0, height: 600 });
  const size = {
    rows: count,
    cols: columns.length,
    page: Math.max(1, Math.floor(view.height / rowHeight) - 2),
  };
  const cur = {
    row: Math.min(cursor.row, count - 1),
    col: Math.min(cursor.col, columns.length - 1),
    toRow: Math.min(cursor.toRow, count - 1),
    toCol: Math.min(cursor.toCol, columns.length - 1),
  };
  const block = blockOf(cur);
  const { onSelect } = props;

  useEffect(() => {
    onSelect?.({ top: block.top, left: block.left, bottom: block.bottom, right: block.right });
  }, [onSelect, block.top, block.left, block.bottom, block.right]);

  useLayoutEffect(() => {
    const el = scroller.current;
    if (!el) return;
    const measure = () =>
      setView((v) => (v.height === el.clientHeight ? v : { ...v, height: el.clientHeight }));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(el);
    return () => observer.disconnect();
  }, []);

  const head = 62;
  const reveal = useCallback((row: number, col: number) => {
    const el = scroller.current;
    if (!el) return;
    const y = row * rowHeight;
    if (y < el.scrollTop) el.scrollTop = y;
    else if (y + rowHeight + head > el.scrollTop + el.clientHeight)
      el.scrollTop = y + rowHeight + head - el.clientHeight;
    const cell = el.querySelector<HTMLElement>(`[data-col="${col}"]`);
    if (cell) {
      const left = cell.offsetLeft;
      if (left - 70 < el.scrollLeft) el.scrollLeft = left - 70;
      else if (left + cell.offsetWidth > el.scrollLeft + el.clientWidth)
        el.scrollLeft = left + cell.offsetWidth - el.clientWidth;
    }
  }, []);

  const goTo = props.goTo;
  const [seen, setSeen] = useState(goTo?.tick);
  if (goTo && goTo.tick !== seen) {
    setSeen(goTo.tick);
    const col = columns.findIndex((c) => c.doc.name === goTo.name);
    setCursor(at(Math.max(0, goTo.level - 1), Math.max(0, col)));
    setEditing(undefined);
  }
  useEffect(() => {
    if (!goTo) return;
    const col = columns.findIndex((c) => c.doc.name === goTo.name);
    reveal(Math.max(0, goTo.level - 1), Math.max(0, col));
    scroller.current?.focus();
    // Only a new request moves the view; edits must not.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [goTo?.tick]);

  const commit = (text: string) => {
    const column = columns[cur.col];
    setEditing(undefined);
    scroller.current?.focus();
    if (!column) return;
    const cell = column.cells[cur.row];
    if (cell?.anchor && cell.text === text) return;
    if (!cell?.anchor && text === cell?.text) return; // looked at, not changed
    onEdit([{ level: cur.row + 1, name: column.doc.name, raw: rawFromCell(column.doc.type, text) }]);
  };

  const eachSelected = (make: (column: Column, row: number) => CellEdit[]): CellEdit[] => {
    const out: CellEdit[] = [];
    for (let row = block.top; row <= block.bottom; row++)
      for (let col = block.left; col <= block.right; col++) {
        const column = columns[col];
        if (column) out.push(...make(column, row));
      }
    return out;
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (editing || event.nativeEvent.isComposing || columns.length === 0) return;
    const command = event.ctrlKey || event.metaKey;
    const next = move(cur, { key: event.key, shift: event.shiftKey, jump: command }, size);
    if (next) {
      event.preventDefault();
      setCursor(next);
      reveal(next.toRow, next.toCol);
      return;
    }
    const column = columns[cur.col];
    if (command) {
      const key = event.key.toLowerCase();
      if (key === "a") setCursor({ row: 0, col: 0, toRow: count - 1, toCol: columns.length - 1 });
      else if (readOnly) return;
      else if (key === "z") (event.shiftKey ? props.onRedo : props.onUndo)();
      else if (key === "y") props.onRedo();
      else if (key === "d")
        onEdit(
          eachSelected((c, row) =>
            row === block.top ? [] : [{ level: row + 1, name: c.doc.name, raw: c.cells[block.top]?.raw }],
          ),
        );
      else return;
      event.preventDefault();
      return;
    }
    if (readOnly || !column || event.altKey) return;
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      onEdit(eachSelected((c, row) => [{ level: row + 1, name: c.doc.name, raw: undefined }]));
    } else if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault();
      setEditing({ text: column.cells[cur.row]?.text ?? "", whole: true });
    } else if (event.key === " " && column.doc.type === "bool") {
      event.preventDefault();
      const text = column.cells[cur.row]?.text === "true" ? "false" : "true";
      onEdit([{ level: cur.row + 1, name: column.doc.name, raw: rawFromCell("bool", text) }]);
    } else if (event.key.length === 1) {
      event.preventDefault();
      setEditing({ text: event.key, whole: false });
    }
  };

  const onCopy = (event: ClipboardEvent) => {
    if (editing) return;
    event.preventDefault();
    const rows: string[][] = [];
    for (let row = block.top; row <= block.bottom; row++)
      rows.push(columns.slice(block.left, block.right + 1).map((c) => c.cells[row]?.text ?? ""));
    event.clipboardData.setData("text/plain", writeTable(rows));
  };

  const onPaste = (event: ClipboardEvent) => {
    if (editing || readOnly) return;
    event.preventDefault();
    const table = parseTable(event.clipboardData.getData("text/plain"));
    if (!table.length) return;
    const one = table.length === 1 && table[0]!.length === 1 && !isOne(block);
    if (one) {
      onEdit(
        eachSelected((c, row) => [
          { level: row + 1, name: c.doc.name, raw: rawFromCell(c.doc.type, table[0]![0]!) },
        ]),
      );
      return;
    }
    const edits: CellEdit[] = [];
    table.forEach((cells, y) =>
      cells.forEach((text, x) => {
        const column = columns[block.left + x];
        const level = block.top + y + 1;
        if (column && level <= count)
          edits.push({ level, name: column.doc.name, raw: rawFromCell(column.doc.type, text) });
      }),
    );
    onEdit(edits);
    setCursor({
      row: block.top,
      col: block.left,
      toRow: Math.min(count - 1, block.top + table.length - 1),
      toCol: Math.min(columns.length - 1, block.left + Math.max(...table.map((r) => r.length)) - 1),
    });
  };

  // One listener for all cells; their handlers never change.
  const cellOf = (target: EventTarget): [number, number] | undefined => {
    const el = (target as HTMLElement).closest<HTMLElement>("[data-cell]");
    if (!el) return undefined;
    return [Number(el.dataset.row), Number(el.dataset.cell)];
  };
  const dragging = useRef(false);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + spare);
  const template = `64px ${columns.map((c) => `minmax(${c.doc.type === "string" ? 150 : 116}px, 210px)`).join(" ")} minmax(0, 1fr)`;
  const inBounds = props.bounds;

  const rows = [];
  for (let row = first; row < last; row++) {
    const selected = row >= block.top && row <= block.bottom;
    rows.push(
      <Row
        key={row}
        row={row}
        cells={columns.map((c) => c.cells[row]!)}
        template={template}
        left={selected ? block.left : -1}
        right={selected ? block.right : -1}
        active={row === cur.row ? cur.col : -1}
        out={row + 1 < inBounds.min || row + 1 > inBounds.max}
        start={row + 1 === inBounds.start}
      />,
    );
  }
  const activeCell = columns[cur.col]?.cells[cur.row];

  return (
    <div className="grid-wrap">
      <div
        ref={scroller}
        className="grid"
        role="grid"
        data-keys="own"
        aria-label={t("templates.grid")}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-readonly={readOnly}
        aria-activedescendant={columns.length ? `cell-${cur.row}-${cur.col}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onCopy={onCopy}
        onPaste={onPaste}
        onScroll={(e) => {
          const top = e.currentTarget.scrollTop;
          setView((v) =>
            Math.abs(v.top - top) < rowHeight && v.top !== top && top % rowHeight ? v : { ...v, top },
          );
        }}
        onMouseDown={(e) => {
          const hit = cellOf(e.target);
          if (!hit || (e.target as HTMLElement).tagName === "INPUT") return;
          dragging.current = true;
          setEditing(undefined);
          setCursor(e.shiftKey ? { ...cur, toRow: hit[0], toCol: hit[1] } : at(hit[0], hit[1]));
        }}
        onMouseOver={(e) => {
          if (!dragging.current || e.buttons !== 1) return;
          const hit = cellOf(e.target);
          if (hit) setCursor((c) => ({ ...c, toRow: hit[0], toCol: hit[1] }));
        }}
        onMouseUp={() => (dragging.current = false)}
        onDoubleClick={() => !readOnly && activeCell && setEditing({ text: activeCell.text, whole: true })}
      >
        <div className="grid-row grid-head" role="row" style={{ gridTemplateColumns: template }}>
          <div role="columnheader" className="grid-level">
            {t("templates.level")}
          </div>
          {columns.map((c, i) => (
            <Head key={i} column={c} index={i} />
          ))}
        </div>
        <div role="rowgroup" style={{ height: count * rowHeight, position: "relative" }}>
          {rows}
          {editing && columns[cur.col] && (
            <CellField
              row={cur.row}
              col={cur.col}
              template={template}
              initial={editing}
              label={`${columns[cur.col]!.doc.name} ${t("templates.level")} ${cur.row + 1}`}
              options={columns[cur.col]!.doc.type === "enum" ? columns[cur.col]!.doc.values : undefined}
              onCommit={(text, then) => {
                commit(text);
                if (then) {
                  const next = move(at(cur.row, cur.col), then, size);
                  if (next) {
                    setCursor(next);
                    reveal(next.row, next.col);
                  }
                }
              }}
              onCancel={() => {
                setEditing(undefined);
                scroller.current?.focus();
              }}
            />
          )}
        </div>
      </div>
      <div className="grid-status" aria-live="polite">
        {activeCell?.problem ? (
          <span className="danger">{said(activeCell.problem)}</span>
        ) : activeCell && columns[cur.col] ? (
          <span className="soft">
            <code>{columns[cur.col]!.doc.name}</code> {paramText(columns[cur.col]!.param)} ·{" "}
            {t(activeCell.anchor ? "templates.anchor" : "templates.interpolated")}
            {activeCell.warning && <span className="warning"> · {t("templates.notMonotonic")}</span>}
          </span>
        ) : null}
      </div>
    </div>
  );
}
