import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Problem } from "../api/problem";
import { said } from "../said/said";

/** Somebody else saved meanwhile: the three contents side by side, and the two ways on. */
export function ConflictBox(props: {
  problem: Problem;
  text: (content: unknown) => string;
  onTheirs: () => void;
  onMine: () => void;
}) {
  const { t } = useTranslation();
  const { base, mine, theirs } = props.problem.body.conflict ?? {};
  return (
    <div className="problem" role="alert">
      <strong>{t("ui.problem.stale")}</strong> {said(props.problem.message)}
      <div className="conflict">
        {(
          [
            ["ui.conflict.base", base],
            ["ui.conflict.mine", mine],
            ["ui.conflict.theirs", theirs],
          ] as const
        ).map(
          ([label, value]) =>
            value !== undefined && (
              <div key={label}>
                <b>{t(label)}</b>
                <pre tabIndex={0}>{props.text(value)}</pre>
              </div>
            ),
        )}
      </div>
      <footer>
        <Button size="small" onClick={props.onTheirs}>
          {t("ui.conflict.takeTheirs")}
        </Button>
        <Button size="small" danger onClick={props.onMine}>
          {t("ui.conflict.overwrite")}
        </Button>
        {props.problem.requestId && <code>{props.problem.requestId}</code>}
      </footer>
    </div>
  );
}
