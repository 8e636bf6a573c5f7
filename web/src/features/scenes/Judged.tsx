import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { edgeId, partOf } from "./graph";
import type { Judgement, SceneGraph } from "./types";

/** What the server finds wrong or odd with what is being written, before it is sent. */
export function Judged(props: { judgement: Judgement | undefined; graph?: SceneGraph; label: string }) {
  const { t } = useTranslation();
  const { judgement, graph } = props;
  if (!judgement || judgement.problems.length + judgement.warnings.length === 0) return null;
  const where = (path: string) => {
    const part = graph && partOf(graph, path);
    const edge = graph?.edges.find((e) => edgeId(e) === part?.edge);
    return part?.node ?? (edge ? `${edge.from} → ${edge.to}` : path);
  };
  return (
    <div className="stack" role="group" aria-label={props.label} aria-live="polite">
      {judgement.problems.length > 0 && (
        <div className="problem">
          <strong>{t("scenes.problems", { count: judgement.problems.length })}</strong>
          <ul>
            {judgement.problems.slice(0, 20).map((p, i) => (
              <li key={i}>
                <code>{where(p.path)}</code>: {said(p.message)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {judgement.warnings.length > 0 && (
        <div className="note warn">
          <strong>{t("scenes.warnings", { count: judgement.warnings.length })}</strong>
          <ul>
            {judgement.warnings.slice(0, 20).map((p, i) => (
              <li key={i}>
                <code>{where(p.path)}</code>: {said(p.message)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
