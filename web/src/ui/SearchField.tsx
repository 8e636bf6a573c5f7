import { Input } from "antd";
import { Icon } from "./icons";

/** The field of a list's search; with data-search around it "/" goes there. */
export function SearchField(props: {
  label: string;
  text: string;
  onText: (text: string) => void;
  width?: number;
  maxLength?: number;
}) {
  return (
    <Input
      allowClear
      style={{ width: props.width ?? 240 }}
      prefix={<Icon name="search" size={13} />}
      placeholder={props.label}
      aria-label={props.label}
      value={props.text}
      maxLength={props.maxLength}
      onChange={(e) => props.onText(e.target.value)}
    />
  );
}
