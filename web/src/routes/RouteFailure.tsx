import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { useRouteError } from "react-router";
import { Empty } from "../ui/states";

/** Shown when a page threw or its chunk is gone (a newer console was installed). */
export function RouteFailure() {
  const { t } = useTranslation();
  const error = useRouteError();
  return (
    <div className="page">
      <Empty
        title={t("app.failed")}
        action={<Button onClick={() => location.reload()}>{t("app.reload")}</Button>}
      >
        <code>{error instanceof Error ? error.message : String(error)}</code>
      </Empty>
    </div>
  );
}
