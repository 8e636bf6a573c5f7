import { App, Button, Dropdown } from "antd";
import { useTranslation } from "react-i18next";
import { Icon } from "./icons";

/** Offers an object as YAML and as the command that does or shows the same. */
export function CopyAs(props: { yaml?: () => unknown; cli?: string; size?: "small" | "middle" }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const put = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      void message.success(t("ui.copied"));
    } catch {
      void message.error(t("ui.copyFailed"));
    }
  };
  const items = [
    props.yaml && {
      key: "yaml",
      label: "YAML",
      onClick: () => void import("yaml").then(({ stringify }) => put(stringify(props.yaml!()))),
    },
    props.cli && { key: "cli", label: <code>{props.cli}</code>, onClick: () => void put(props.cli!) },
  ].filter((x) => !!x);
  return (
    <Dropdown trigger={["click"]} menu={{ items }}>
      <Button size={props.size} icon={<Icon name="copy" size={13} />} aria-label={t("ui.copyAs")}>
        {t("ui.copyAs")}
      </Button>
    </Dropdown>
  );
}
