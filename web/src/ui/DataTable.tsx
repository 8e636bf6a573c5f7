import {
  memo,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { Icon } from "./icons";

export interface Column<Row> {
  key: string;
  title: ReactNode;
  render: (row: Row) => ReactNode;
  sort?: (a: Row, b: Row) => number;
  num?: boolean;
  width?: number | string;
  /** Wider text is cut; say it whole in a title. */
  max?: number;
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  onOpen?: (row: Row) => void;
  dim?: (row: Row) => boolean;
  initialSort?: { key: string; down?: boolean };
  maxHeight?: string;
}

/**
 * A dense table on a real <table>: sorted in place, arrow keys move between rows,
 * Enter opens one. Rows are memoised by identity: a refetch that React Query
 * shares structurally repaints only what changed, and a key does not wait for it.
 */
export function DataTable<Row>(props: Props<Row>) {
  const { columns, rowKey, onOpen, dim } = props;
  const rows = useDeferredValue(props.rows);
  // What opens a row is a new function at every drawing; the rows need not hear of it.
  const latest = useRef(onOpen);
  useEffect(() => {
    latest.current = onOpen;
  });
  const open = useCallback((row: unknown) => latest.current?.(row as Row), []);
  const [sort, setSort] = useState(props.initialSort);
  const body = useRef<HTMLTableSectionElement>(null);

  const sorted = useMemo(() => {
    const by = columns.find((c) => c.key === sort?.key)?.sort;
    if (!by) return rows;
    const out = [...rows].sort(by);
    return sort?.down ? out.reverse() : out;
  }, [rows, columns, sort]);

  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest("tr");
    if (!row || event.target !== row) return;
    const next =
      event.key === "ArrowDown" || event.key === "j"
        ? row.nextElementSibling
        : event.key === "ArrowUp" || event.key === "k"
          ? row.previousElementSibling
          : null;
    if (next) {
      event.preventDefault();
      (next as HTMLElement).focus();
    } else if (event.key === "Enter") row.click();
  };

  return (
    <div
      className="table-box"
      style={props.maxHeight ? { maxHeight: props.maxHeight } : undefined}
      tabIndex={-1}
    >
      <table className="data" aria-label={props.label} aria-rowcount={rows.length}>
        <thead>
          <tr>
            {columns.map((c) => {
              const on = sort?.key === c.key;
              return (
                <th
                  key={c.key}
                  className={c.num ? "num" : undefined}
                  style={{ width: c.width }}
                  aria-sort={on ? (sort.down ? "descending" : "ascending") : undefined}
                >
                  {c.sort ? (
                    <button
                      type="button"
                      onClick={() => setSort({ key: c.key, down: on ? !sort.down : c.num })}
                    >
                      {c.title}
                      {on && <Icon name={sort.down ? "down" : "up"} size={11} />}
                    </button>
                  ) : (
                    c.title
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {sorted.map((row) => (
            <Line
              key={rowKey(row)}
              row={row}
              columns={columns as Column<unknown>[]}
              onOpen={onOpen && open}
              dim={dim?.(row)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type Open = ((row: unknown) => void) | undefined;

const Line = memo(function Line(props: {
  row: unknown;
  columns: Column<unknown>[];
  onOpen: Open;
  dim?: boolean;
}) {
  const { row, onOpen } = props;
  return (
    <tr
      className={`${onOpen ? "link" : ""} ${props.dim ? "dim" : ""}`}
      tabIndex={onOpen ? 0 : undefined}
      onClick={
        onOpen &&
        ((event) => {
          // Links and buttons inside a row keep their own meaning.
          if (!(event.target as HTMLElement).closest("a,button,input")) onOpen(row);
        })
      }
    >
      {props.columns.map((c) => (
        <td key={c.key} className={c.num ? "num" : undefined} style={c.max ? { maxWidth: c.max } : undefined}>
          {c.render(row)}
        </td>
      ))}
    </tr>
  );
});

// Made once: comparing by localeCompare looks the language up at each of thousands of comparisons.
const collator = new Intl.Collator();

export const byText =
  <Row,>(of: (row: Row) => string) =>
  (a: Row, b: Row) =>
    collator.compare(of(a), of(b));

export const byNumber =
  <Row,>(of: (row: Row) => number | null | undefined) =>
  (a: Row, b: Row) =>
    (of(a) ?? -Infinity) - (of(b) ?? -Infinity);
