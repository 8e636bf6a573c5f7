import { useTranslation } from "react-i18next";
import { useOpenAlerts } from "./api";

/** How many alerts stand that nobody looks after. */
export function Badge() {
  const { t } = useTranslation();
  const { data } = useOpenAlerts();
  const firing = data?.items.filter((a) => a.state === "firing") ?? [];
  if (!firing.length) return null;
  const critical = firing.some((a) => a.severity === "critical");
  const shown = firing.length > 99 || data?.next_cursor ? "99+" : String(firing.length);
  return (
    <span
      className={`nav-badge${critical ? " bad" : ""}`}
      title={t("alerts.badge", { count: firing.length })}
    >
      {shown}
    </span>
  );
}
