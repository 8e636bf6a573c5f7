import { useCallback, useReducer } from "react";
import type { Doc } from "./document";

interface State {
  doc: Doc;
  saved: Doc;
  past: Doc[];
  future: Doc[];
}

type Action =
  | { kind: "edit"; change: (doc: Doc) => Doc }
  | { kind: "undo" }
  | { kind: "redo" }
  | { kind: "reset"; doc: Doc };

const memory = 200;

export function step(s: State, a: Action): State {
  switch (a.kind) {
    case "edit": {
      const doc = a.change(s.doc);
      return doc === s.doc ? s : { ...s, doc, past: [...s.past.slice(-memory), s.doc], future: [] };
    }
    case "undo": {
      const doc = s.past.at(-1);
      return doc ? { ...s, doc, past: s.past.slice(0, -1), future: [s.doc, ...s.future] } : s;
    }
    case "redo": {
      const [doc, ...future] = s.future;
      return doc ? { ...s, doc, past: [...s.past, s.doc], future } : s;
    }
    case "reset":
      return { doc: a.doc, saved: a.doc, past: [], future: [] };
  }
}

/** A document being edited, with undo. */
export function useEditor(start: Doc) {
  const [s, dispatch] = useReducer(step, { doc: start, saved: start, past: [], future: [] });
  return {
    doc: s.doc,
    dirty: s.doc !== s.saved,
    canUndo: s.past.length > 0,
    canRedo: s.future.length > 0,
    edit: useCallback((change: (doc: Doc) => Doc) => dispatch({ kind: "edit", change }), []),
    undo: useCallback(() => dispatch({ kind: "undo" }), []),
    redo: useCallback(() => dispatch({ kind: "redo" }), []),
    reset: useCallback((doc: Doc) => dispatch({ kind: "reset", doc }), []),
  };
}
