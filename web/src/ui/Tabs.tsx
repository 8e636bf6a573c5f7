import type { KeyboardEvent, ReactNode } from "react";

export interface TabItem {
  key: string;
  label: ReactNode;
}

/** A row of tabs; arrow keys move, the panel is the caller's. */
export function Tabs(props: {
  label: string;
  items: TabItem[];
  value: string;
  onChange: (key: string) => void;
}) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const i = props.items.findIndex((x) => x.key === props.value);
    const n = props.items.length;
    const next = (i + by + n) % n;
    props.onChange(props.items[next]!.key);
    event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={props.label} onKeyDown={onKeyDown}>
      {props.items.map((x) => (
        <button
          key={x.key}
          type="button"
          role="tab"
          aria-selected={x.key === props.value}
          tabIndex={x.key === props.value ? 0 : -1}
          onClick={() => props.onChange(x.key)}
        >
          {x.label}
        </button>
      ))}
    </div>
  );
}
