import { useTranslation } from "react-i18next";
import { Tag, type Tone } from "../../ui/marks";
import type { Mark } from "./draft";

const tones: Record<Mark, Tone> = { same: "", new: "good", gone: "warn", other: "info" };

const words = {
  same: "scenes.marks.same",
  new: "scenes.marks.new",
  gone: "scenes.marks.gone",
  other: "scenes.marks.other",
};

/** How a part of a draft stands to the graph in force. */
export const MarkTag = ({ mark }: { mark: Mark }) => {
  const { t } = useTranslation();
  return mark === "same" ? null : <Tag tone={tones[mark]}>{t(words[mark])}</Tag>;
};
