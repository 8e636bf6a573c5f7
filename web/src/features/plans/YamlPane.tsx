import { yaml } from "@codemirror/lang-yaml";
import { linter, lintGutter, type Diagnostic } from "@codemirror/lint";
import CodeMirror, { EditorView } from "@uiw/react-codemirror";
import { useEffect, useMemo, useRef, useState } from "react";
import { useDark } from "../../ui/preferences";
import { fromYAML, toYAML, type PlanDoc } from "./document";

const look = EditorView.theme({
  "&": { fontSize: "12.5px", backgroundColor: "var(--surface)", color: "var(--text)" },
  ".cm-gutters": {
    backgroundColor: "var(--raised)",
    color: "var(--soft)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-content": { fontFamily: "var(--mono)" },
});

interface Props {
  doc: PlanDoc;
  disabled: boolean;
  onChange: (doc: PlanDoc) => void;
  onBroken: (broken: boolean) => void;
}

/** The document as text; whatever can be read flows into the form at once. */
export default function YamlPane({ doc, disabled, onChange, onBroken }: Props) {
  const dark = useDark();
  const [text, setText] = useState(() => toYAML(doc));
  const written = useRef(doc);

  useEffect(() => {
    if (doc === written.current) return;
    written.current = doc;
    setText(toYAML(doc));
  }, [doc]);
  useEffect(() => () => onBroken(false), [onBroken]);

  const extensions = useMemo(
    () => [
      yaml(),
      look,
      lintGutter(),
      EditorView.contentAttributes.of({ "aria-label": "YAML" }),
      linter(
        (view): Diagnostic[] => {
          const { message, line } = fromYAML(view.state.doc.toString());
          if (!message) return [];
          const at = view.state.doc.line(Math.min(Math.max(1, line ?? 1), view.state.doc.lines));
          return [{ from: at.from, to: at.to, severity: "error", message }];
        },
        { delay: 250 },
      ),
    ],
    [],
  );
  return (
    <section className="card plan-yaml" data-keys="own">
      <CodeMirror
        value={text}
        theme={dark ? "dark" : "light"}
        readOnly={disabled}
        extensions={extensions}
        basicSetup={{ foldGutter: true }}
        onChange={(value) => {
          if (value === text) return;
          setText(value);
          const { doc: next } = fromYAML(value);
          onBroken(!next);
          if (!next) return;
          written.current = next;
          onChange(next);
        }}
      />
    </section>
  );
}
