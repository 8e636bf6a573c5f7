import type { ReactNode } from "react";

// Sixteen-pixel line icons; decoration only, so hidden from assistive technology.
const paths = {
  overview: "M2 9h5V2H2zM9 14h5V7H9zM2 14h5v-3H2zM9 5h5V2H9z",
  points: "M2 12l3-5 3 3 3-7 3 5",
  scenes: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 8h.01",
  links:
    "M2 6h3.5v4H2zM10.500 2H14v4h-3.500zM10.500 10H14v4h-3.500zM5.500 8h2.500M8 4v8M8 4h2.500M8 12h2.500",
  quota: "M2.500 11.500a5.800 5.800 0 1 1 11 0M8 11l2.500-4M2.500 11.500h11",
  agents: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
  plans: "M2.5 4h11v9.500h-11zM2.5 7h11M5.500 2.500v3M10.500 2.500v3M5 9.500h3M8.500 11.500h2.500",
  changes: "M3 8a5 5 0 0 1 9-3M13 8a5 5 0 0 1-9 3M12 2v3H9M4 14v-3h3",
  templates: "M2.5 2.5h11v11h-11zM2.5 6h11M6.2 6v7.5M9.9 6v7.5",
  bindings: "M6.5 9.5l3-3M7 5l1.5-1.5a2.8 2.8 0 0 1 4 4L11 9M9 11l-1.5 1.5a2.8 2.8 0 0 1-4-4L5 7",
  audit: "M4 2h6l3 3v9H4zM6.5 7h4M6.5 9.5h4M6.5 12h2",
  settings: "M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M9 3v3h3V3zM4 10v3h3v-3z",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
  pause: "M5 3v10M11 3v10",
  play: "M4 3l9 5-9 5z",
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  auto: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  density: "M2 3h12M2 6.3h12M2 9.6h12M2 13h12",
  help: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1V9.500M8 12h.01",
  user: "M8 2.5a2.8 2.8 0 1 0 0 5.600 2.800 2.800 0 0 0 0-5.600zM2.500 14c.5-3 2.700-4.500 5.500-4.500s5 1.500 5.500 4.500",
  copy: "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
  plus: "M8 3v10M3 8h10",
  collapse: "M10 3L5 8l5 5",
  expand: "M6 3l5 5-5 5",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  undo: "M3 6h6.500a3.500 3.500 0 0 1 0 7H6M3 6l3-3M3 6l3 3",
  up: "M8 12V4M4.500 7.500L8 4l3.500 3.500",
  down: "M8 4v8M4.500 8.500L8 12l3.500-3.500",
  close: "M4 4l8 8M12 4l-8 8",
  leaderboard: "M2.5 14V8h3.500v6zM6 14V2.500h4V14zM10 14V6h3.500v8z",
  busy: "M8 2.5a5.500 5.500 0 1 0 5.500 5.500",
  experiments: "M6.500 2h3M7 2v4l-4 7.500h10L9 6V2M5 10h6",
  warn: "M8 2.500l6 11H2zM8 6.500v3M8 11.500h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={name === "busy" ? "spinning" : undefined}
    >
      <path d={paths[name]} />
    </svg>
  );
}
