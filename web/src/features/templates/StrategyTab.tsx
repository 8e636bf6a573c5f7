import { useTranslation } from "react-i18next";
import type { Place } from "../../api/problem";
import { said } from "../../said/said";
import { Card } from "../../ui/marks";
import { declare } from "./declaration";
import type { Doc } from "./document";
import { rawFromCell, setLevelCount } from "./edit";
import { settingsOf, strategies } from "./strategies";
import { format, paramText } from "./typecheck";

interface Props {
  doc: Doc;
  edit: (change: (doc: Doc) => Doc) => void;
  readOnly: boolean;
  problems: Place[];
}

export function StrategyTab({ doc, edit, readOnly, problems }: Props) {
  const { t } = useTranslation();
  const at = (path: string) => problems.find((p) => p.path === path);
  const level = (field: "default" | "min" | "max") => {
    const problem = at(`levels.${field}`);
    return (
      <label className="param-field">
        <span>{t(`templates.fields.${field}`)}</span>
        <input
          type="number"
          className={`native${problem ? " bad" : ""}`}
          min={1}
          max={doc.levels.count}
          style={{ width: 90 }}
          readOnly={readOnly}
          value={doc.levels[field] ?? ""}
          placeholder={String(field === "min" ? 1 : doc.levels.count)}
          onChange={(e) =>
            edit((d) => ({
              ...d,
              levels: {
                ...d.levels,
                [field]: e.target.value === "" ? undefined : Math.trunc(Number(e.target.value)),
              },
            }))
          }
        />
      </label>
    );
  };
  const settings = settingsOf(doc.strategy.kind);
  const unknown = problems.filter(
    (p) => p.path.startsWith("strategy") && !settings.some((s) => p.path === `strategy.settings.${s.name}`),
  );
  return (
    <>
      <Card title={t("templates.levelsCard")}>
        <div className="row wrap" style={{ gap: 14 }}>
          <label className="param-field">
            <span>{t("templates.fields.count")}</span>
            <input
              type="number"
              className={`native${at("levels.count") ? " bad" : ""}`}
              min={1}
              max={100}
              style={{ width: 90 }}
              readOnly={readOnly}
              value={doc.levels.count}
              onChange={(e) => {
                const n = Math.trunc(Number(e.target.value));
                if (n >= 1 && n <= 100) edit((d) => setLevelCount(d, n));
              }}
            />
          </label>
          {level("min")}
          {level("default")}
          {level("max")}
        </div>
        {problems
          .filter((p) => p.path.startsWith("levels"))
          .map((p) => (
            <div key={p.path} className="danger">
              {said(p.message)}
            </div>
          ))}
      </Card>
      <Card title={t("templates.strategy")}>
        <div className="stack">
          <div role="radiogroup" aria-label={t("templates.strategy")} className="choices">
            {strategies.map((k) => (
              <label key={k} className={`choice${doc.strategy.kind === k ? " on" : ""}`}>
                <input
                  type="radio"
                  name="strategy"
                  checked={doc.strategy.kind === k}
                  disabled={readOnly}
                  onChange={() =>
                    edit((d) => ({
                      ...d,
                      // Settings both strategies know keep their values.
                      strategy: {
                        kind: k,
                        settings: Object.fromEntries(
                          Object.entries(d.strategy.settings).filter(([name]) =>
                            settingsOf(k).some((s) => s.name === name),
                          ),
                        ),
                      },
                    }))
                  }
                />
                <b>{t(`templates.kinds.${k}`)}</b>
                <span className="soft">{t(`templates.kindHints.${k}`)}</span>
              </label>
            ))}
          </div>
          {settings.length > 0 && (
            <table className="plain">
              <thead>
                <tr>
                  <th>{t("templates.setting")}</th>
                  <th>{t("templates.value")}</th>
                  <th>{t("templates.wants")}</th>
                </tr>
              </thead>
              <tbody>
                {settings.map((s) => {
                  const p = declare(s).param;
                  const problem = at(`strategy.settings.${s.name}`);
                  return (
                    <tr key={s.name}>
                      <td>
                        <code>{s.name}</code>
                        <div className="soft">{t(`templates.settings.${s.name}`)}</div>
                      </td>
                      <td>
                        <input
                          className={`native${problem ? " bad" : ""}`}
                          aria-label={s.name}
                          size={10}
                          readOnly={readOnly}
                          value={doc.strategy.settings[s.name]?.text ?? ""}
                          placeholder={s.default?.text ?? t("templates.required")}
                          onChange={(e) => {
                            const raw = rawFromCell(s.type, e.target.value);
                            edit((d) => {
                              const next = { ...d.strategy.settings };
                              if (raw) next[s.name] = raw;
                              else delete next[s.name];
                              return { ...d, strategy: { ...d.strategy, settings: next } };
                            });
                          }}
                        />
                        {problem && <div className="danger">{said(problem.message)}</div>}
                      </td>
                      <td className="soft">
                        {paramText(p)}
                        {p.default && ` · ${t("templates.fields.default")} ${format(p.default)}`}
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          )}
          {unknown.map((p) => (
            <div key={p.path} className="danger">
              {said(p.message)}
            </div>
          ))}
        </div>
      </Card>
    </>
  );
}
