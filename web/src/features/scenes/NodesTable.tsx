import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Tag } from "../../ui/marks";
import { editNode, removeNode } from "./graph";
import type { SceneGraph, SceneNode } from "./types";

interface Props {
  graph: SceneGraph;
  bad: ReadonlySet<string>;
  onChange?: (change: (g: SceneGraph) => SceneGraph) => void;
}

/** Each node with what the drawing does not show: in which call it runs, whose results it works on, what a call may take. */
export function NodesTable({ graph, bad, onChange }: Props) {
  const { t } = useTranslation();
  if (graph.nodes.length === 0) return null;
  const set = (n: SceneNode, change: Partial<SceneNode>) => onChange?.((g) => editNode(g, n.id, change));
  const pick = (
    n: SceneNode,
    label: string,
    value: string | undefined,
    ids: string[],
    key: "within" | "fed_by",
  ) => (
    <select
      className="native"
      aria-label={`${label} ${n.id}`}
      disabled={!onChange}
      value={value ?? ""}
      onChange={(e) => set(n, { [key]: e.target.value || undefined })}
    >
      <option value="">–</option>
      {ids.map((id) => (
        <option key={id} value={id}>
          {id}
        </option>
      ))}
    </select>
  );
  const text = (n: SceneNode, label: string, key: "network" | "timeout") => (
    <input
      className={`native short${key === "timeout" && bad.has(n.id) ? " bad" : ""}`}
      aria-label={`${label} ${n.id}`}
      disabled={!onChange}
      maxLength={32}
      placeholder={t(key === "timeout" ? "scenes.byTable" : "scenes.noNetwork")}
      value={n[key] ?? ""}
      onChange={(e) => set(n, { [key]: e.target.value.trim() || undefined })}
    />
  );
  return (
    <div className="table-box" tabIndex={-1}>
      <table className="data" aria-label={t("scenes.nodes")}>
        <thead>
          <tr>
            <th>{t("scenes.node")}</th>
            <th>{t("scenes.within")}</th>
            <th>{t("scenes.fedBy")}</th>
            <th>{t("scenes.timeout")}</th>
            <th>{t("scenes.network")}</th>
            <th>{t("scenes.retries")}</th>
            <th>
              <span className="sr">{t("ui.delete")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {graph.nodes.map((n) => (
            <tr key={n.id}>
              <td>
                {n.id} {n.external && <Tag>{t("scenes.external")}</Tag>}{" "}
                {bad.has(n.id) && <Tag tone="bad">{t("scenes.wrong")}</Tag>}
              </td>
              <td>
                {pick(
                  n,
                  t("scenes.within"),
                  n.within,
                  graph.nodes.filter((x) => x.external && x.id !== n.id).map((x) => x.id),
                  "within",
                )}
              </td>
              <td>
                {n.external
                  ? "–"
                  : pick(
                      n,
                      t("scenes.fedBy"),
                      n.fed_by,
                      graph.nodes.filter((x) => !x.external && x.id !== n.id).map((x) => x.id),
                      "fed_by",
                    )}
              </td>
              <td>{n.external ? text(n, t("scenes.timeout"), "timeout") : "–"}</td>
              <td>{n.external ? text(n, t("scenes.network"), "network") : "–"}</td>
              <td>
                {n.external ? (
                  <input
                    className="native short"
                    type="number"
                    min={0}
                    max={10}
                    aria-label={`${t("scenes.retries")} ${n.id}`}
                    disabled={!onChange}
                    value={n.retries ?? 0}
                    onChange={(e) =>
                      set(n, {
                        retries:
                          Math.min(10, Math.max(0, Math.trunc(Number(e.target.value)) || 0)) || undefined,
                      })
                    }
                  />
                ) : (
                  "–"
                )}
              </td>
              <td className="num">
                <Button
                  size="small"
                  disabled={!onChange}
                  aria-label={t("scenes.removeNode", { node: n.id })}
                  onClick={() => onChange?.((g) => removeNode(g, n.id))}
                >
                  ×
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
