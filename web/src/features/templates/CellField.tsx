import { useLayoutEffect, useRef, useState } from "react";
import { rowHeight } from "./GridRow";

/** The field over the current cell; it commits on Enter, Tab and leaving. */
export function CellField(props: {
  row: number;
  col: number;
  template: string;
  initial: { text: string; whole: boolean };
  label: string;
  options?: string[];
  onCommit: (text: string, then?: { key: string; shift?: boolean }) => void;
  onCancel: () => void;
}) {
  const [text, setText] = useState(props.initial.text);
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    if (props.initial.whole) field.current?.select();
  }, [props.initial.whole]);
  const commit = (then?: { key: string; shift?: boolean }) => {
    if (done.current) return;
    done.current = true;
    props.onCommit(text, then);
  };
  return (
    <div
      className="grid-row grid-editor"
      style={{ gridTemplateColumns: props.template, transform: `translateY(${props.row * rowHeight}px)` }}
    >
      <input
        ref={field}
        style={{ gridColumn: props.col + 2 }}
        aria-label={props.label}
        value={text}
        list={props.options ? "grid-options" : undefined}
        onChange={(e) => setText(e.target.value)}
        onBlur={() => commit()}
        onKeyDown={(e) => {
          e.stopPropagation();
          if (e.nativeEvent.isComposing) return;
          if (e.key === "Enter") commit({ key: e.shiftKey ? "ArrowUp" : "ArrowDown" });
          else if (e.key === "Tab") commit({ key: "Tab", shift: e.shiftKey });
          else if (e.key === "Escape") {
            done.current = true;
            props.onCancel();
          } else if (!props.initial.whole && (e.key === "ArrowUp" || e.key === "ArrowDown"))
            commit({ key: e.key });
          else return;
          e.preventDefault();
        }}
      />
      {props.options && (
        <datalist id="grid-options">
          {props.options.map((o) => (
            <option key={o} value={o} />
          ))}
        </datalist>
      )}
    </div>
  );
}
