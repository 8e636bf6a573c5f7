import { yaml } from "@codemirror/lang-yaml";
import { linter, lintGutter, type Diagnostic } from "@codemirror/lint";
import CodeMirror, { EditorView, type ReactCodeMirrorRef } from "@uiw/react-codemirror";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { useDark } from "../../ui/preferences";
import type { Jump } from "./Checks";
import { toYAML, type Doc } from "./document";
import { readText } from "./text";

interface Props {
  doc: Doc;
  edit: (change: (doc: Doc) => Doc) => void;
  readOnly: boolean;
  jump: Jump | undefined;
  onBroken: (broken: boolean) => void;
}

const look = EditorView.theme({
  "&": { fontSize: "12.5px", backgroundColor: "var(--surface)", color: "var(--text)", height: "100%" },
  ".cm-gutters": {
    backgroundColor: "var(--raised)",
    color: "var(--soft)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-content": { fontFamily: "var(--mono)" },
});

/** The document as text. Whatever can be read flows into the form at once; what cannot is marked at its line. */
export default function YamlTab({ doc, edit, readOnly, jump, onBroken }: Props) {
  const { t } = useTranslation();
  const dark = useDark();
  const [text, setText] = useState(() => toYAML(doc));
  const written = useRef(doc); // the doc our own text stands for
  const editor = useRef<ReactCodeMirrorRef>(null);

  // An edit from elsewhere (undo, another tab) rewrites the text; our own does not.
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
        (view): Diagnostic[] =>
          readText(view.state.doc.toString()).problems.map((p) => {
            const line = view.state.doc.line(Math.min(Math.max(1, p.line ?? 1), view.state.doc.lines));
            const from = Math.min(line.to, line.from + Math.max(0, (p.column ?? 1) - 1));
            return { from, to: line.to, severity: "error", message: said(p.message), source: p.path };
          }),
        { delay: 250 },
      ),
    ],
    [],
  );

  useEffect(() => {
    const view = editor.current?.view;
    if (!view || !jump) return;
    const found = readText(view.state.doc.toString()).problems.find((p) => p.path === jump.path);
    const line = view.state.doc.line(Math.min(Math.max(1, found?.line ?? 1), view.state.doc.lines));
    view.dispatch({
      selection: { anchor: line.from },
      effects: EditorView.scrollIntoView(line.from, { y: "center" }),
    });
    view.focus();
  }, [jump]);

  return (
    <div className="code" data-keys="own">
      <CodeMirror
        ref={editor}
        value={text}
        theme={dark ? "dark" : "light"}
        height="100%"
        readOnly={readOnly}
        extensions={extensions}
        basicSetup={{ foldGutter: true, highlightActiveLine: true }}
        onChange={(value) => {
          if (value === text) return;
          setText(value);
          const result = readText(value);
          onBroken(!result.doc);
          if (!result.doc) return;
          written.current = result.doc;
          const next = result.doc;
          edit(() => next);
        }}
      />
      <p className="soft" style={{ margin: "6px 2px 0" }}>
        {t("templates.yamlHint")}
      </p>
    </div>
  );
}
