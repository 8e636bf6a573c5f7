import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Problem } from "../../api/problem";
import type { TemplateDocument } from "../../api/types";
import { fromWire, toYAML } from "./document";

/** Somebody else saved meanwhile: the three contents side by side, and the two ways on. */
export function ConflictBox(props: { problem: Problem; onTheirs: () => void; onMine: () => void }) {
  const { t } = useTranslation();
  const { base, mine, theirs } = props.problem.body.conflict ?? {};
  const text = (v: unknown) => {
    const content =
      (v as { draft?: TemplateDocument } | undefined)?.draft ?? (v as TemplateDocument | undefined);
    try {
      return content ? toYAML(fromWire(content)) : "";
    } catch {
      return JSON.stringify(v, null, 1);
    }
  };
  return (
    <div className="problem" role="alert">
      <strong>{t("ui.problem.stale")}</strong> {props.problem.message}
      <div className="conflict">
        {(
          [
            ["templates.base", base],
            ["templates.mine", mine],
            ["templates.theirs", theirs],
          ] as const
        ).map(
          ([label, value]) =>
            value !== undefined && (
              <div key={label}>
                <b>{t(label)}</b>
                <pre tabIndex={0}>{text(value)}</pre>
              </div>
            ),
        )}
      </div>
      <footer>
        <Button size="small" onClick={props.onTheirs}>
          {t("templates.takeTheirs")}
        </Button>
        <Button size="small" danger onClick={props.onMine}>
          {t("templates.overwrite")}
        </Button>
        {props.problem.requestId && <code>{props.problem.requestId}</code>}
      </footer>
    </div>
  );
}
