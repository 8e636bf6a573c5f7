import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Scene } from "./types";

/** Somebody saved a version while this one was edited: nothing is lost until it is said which goes on. */
export function Meanwhile(props: {
  newest: Scene;
  both?: string; // what both changed
  onMine: () => void;
  onTheirs: () => void;
}) {
  const { t } = useTranslation();
  const { newest } = props;
  return (
    <div className="note warn row wrap" role="alert">
      <span>
        {t("scenes.meanwhile", { version: newest.version, by: newest.updated_by })}{" "}
        {newest.reason && <em>{newest.reason}</em>} {props.both}
      </span>
      <span className="grow" />
      <Button size="small" onClick={props.onMine}>
        {t("scenes.keepMine")}
      </Button>
      <Button size="small" onClick={props.onTheirs}>
        {t("scenes.takeTheirs")}
      </Button>
    </div>
  );
}
