import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Card, Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { useUsage } from "./api";

export function UsageTab({ name }: { name: string }) {
  const { t } = useTranslation();
  const query = useUsage(name);
  return (
    <Loaded query={query} rows={4}>
      {(u) =>
        !u.bindings?.length ? (
          <Empty
            title={t("templates.notBound")}
            action={
              <Link to={`/bindings?new=1&template=${encodeURIComponent(name)}`}>{t("templates.bind")}</Link>
            }
          >
            {t("templates.notBoundHint")}
          </Empty>
        ) : (
          <>
            <Card title={t("templates.usedBy", { count: u.bindings.length, machines: u.machines })}>
              <table className="plain">
                <tbody>
                  {u.bindings.map((b) => (
                    <tr key={b.id}>
                      <td>
                        <Link to={`/bindings?template=${encodeURIComponent(name)}`} className="mono">
                          {b.selector.scene} / {b.selector.idc} / {b.selector.app} / {b.selector.point}
                        </Link>
                      </td>
                      <td>{b.pin ? <Tag tone="warn">v{b.pin}</Tag> : <Tag>{t("templates.newest")}</Tag>}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Card>
            <Card title={t("templates.pointsServed", { count: u.points?.length ?? 0 })}>
              <div className="tags">
                {(u.points ?? []).map((p) => (
                  <Link
                    key={`${p.scene}/${p.idc}/${p.app}/${p.point}`}
                    className="tag mono"
                    to={`/points/${[p.scene, p.idc, p.app, p.point].map(encodeURIComponent).join("/")}`}
                  >
                    {p.scene} / {p.idc} / {p.app} / {p.point}
                  </Link>
                ))}
              </div>
            </Card>
          </>
        )
      }
    </Loaded>
  );
}
