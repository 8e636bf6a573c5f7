import { memo } from "react";
import { said } from "../../said/said";
import { Sparkline } from "../../ui/marks";
import type { Cell, Column } from "./expand";
import { paramText } from "./typecheck";

export const rowHeight = 26;

/** A parameter's name, type and course over the levels. */
export const Head = memo(function Head({ column, index }: { column: Column; index: number }) {
  const bad = column.cells.some((c) => c.problem);
  return (
    <div
      role="columnheader"
      data-col={index}
      title={paramText(column.param)}
      className={bad ? "bad" : undefined}
    >
      <div className="grid-name">
        <span>{column.doc.name}</span>
        {column.doc.unit && <small>{column.doc.unit}</small>}
      </div>
      <div className="grid-kind">{paramText(column.param)}</div>
      <Sparkline values={column.numbers} width={92} height={16} />
    </div>
  );
});

interface RowProps {
  row: number;
  cells: Cell[];
  template: string;
  left: number;
  right: number;
  active: number;
  out: boolean;
  start: boolean;
}

function sameRow(a: RowProps, b: RowProps): boolean {
  return (
    a.row === b.row &&
    a.template === b.template &&
    a.left === b.left &&
    a.right === b.right &&
    a.active === b.active &&
    a.out === b.out &&
    a.start === b.start &&
    a.cells.length === b.cells.length &&
    a.cells.every((c, i) => {
      const d = b.cells[i]!;
      return (
        c === d ||
        (c.text === d.text &&
          c.textual === d.textual &&
          c.anchor === d.anchor &&
          c.problem === d.problem &&
          c.warning === d.warning)
      );
    })
  );
}

/** One level. It paints again only when its own cells or the cursor on it changed. */
export const Row = memo(function Row(props: RowProps) {
  const { row, cells } = props;
  const anchor = cells.some((c) => c.anchor);
  return (
    <div
      className={`grid-row${anchor ? " anchor" : ""}${props.out ? " out" : ""}`}
      role="row"
      aria-rowindex={row + 2}
      style={{ gridTemplateColumns: props.template, transform: `translateY(${row * rowHeight}px)` }}
    >
      <div role="rowheader" className="grid-level">
        {row + 1}
        {props.start && <i title="default">◆</i>}
      </div>
      {cells.map((c, col) => (
        <div
          key={col}
          id={`cell-${row}-${col}`}
          role="gridcell"
          aria-colindex={col + 2}
          aria-selected={col >= props.left && col <= props.right}
          aria-invalid={c.problem ? true : undefined}
          data-row={row}
          data-cell={col}
          title={said(c.problem)}
          className={`${c.textual ? "text " : ""}${c.anchor ? "set" : ""}${c.problem ? " bad" : ""}${c.warning ? " warn" : ""}${
            col >= props.left && col <= props.right ? " sel" : ""
          }${col === props.active ? " cur" : ""}`}
        >
          {c.text}
        </div>
      ))}
    </div>
  );
}, sameRow);
