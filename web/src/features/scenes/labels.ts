import type { SceneForm } from "./document";

/** What each field of a scene is called. */
export const labels: Record<keyof SceneForm, string> = {
  name: "scenes.name",
  description: "scenes.form.description",
  target: "scenes.target",
  statistic: "scenes.statistic",
  timeout: "scenes.form.timeout",
  maxTimeouts: "scenes.form.maxTimeouts",
  ladder: "scenes.ladder",
  from: "scenes.form.from",
  to: "scenes.form.to",
  front: "scenes.form.front",
  feedbackAlone: "scenes.form.feedbackAlone",
};
