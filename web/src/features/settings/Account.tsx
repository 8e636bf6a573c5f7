import { Button, Input } from "antd";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../api/session";
import { queryClient } from "../../api/live";
import { Field } from "../../ui/Ask";
import { dateTime } from "../../ui/format";
import { Card } from "../../ui/marks";
import { Loaded, ProblemBox } from "../../ui/states";
import { changePassword } from "./api";
import { GrantTags } from "./Grants";

export function Account() {
  const { t } = useTranslation();
  const me = useMe();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const submit = async (e: FormEvent) => {
    e.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await changePassword(current, next);
      // Every session is cut, this one too: the next question leads to the sign-in page.
      await queryClient.invalidateQueries({ queryKey: ["me"] });
    } catch (x) {
      setError(x);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Loaded query={me}>
      {(m) => (
        <>
          <Card title={m.display || m.name}>
            <dl className="facts">
              <dt>{t("app.user")}</dt>
              <dd>{m.name}</dd>
              <dt>{t("settings.grants")}</dt>
              <dd>
                <GrantTags grants={m.grants} />
              </dd>
              <dt>{t("settings.verbs")}</dt>
              <dd>{(m.verbs ?? []).join(", ")}</dd>
              <dt>{t("settings.sessionEnds")}</dt>
              <dd>{dateTime(m.expires)}</dd>
            </dl>
          </Card>
          <Card title={t("settings.changePassword")}>
            <form className="stack" style={{ maxWidth: 360 }} onSubmit={(e) => void submit(e)}>
              <input type="text" name="username" autoComplete="username" value={m.name} readOnly hidden />
              <Field label={t("settings.currentPassword")}>
                <Input.Password
                  autoComplete="current-password"
                  value={current}
                  onChange={(e) => setCurrent(e.target.value)}
                />
              </Field>
              <Field label={t("settings.newPassword")} hint={t("settings.passwordHint")}>
                <Input.Password
                  autoComplete="new-password"
                  value={next}
                  onChange={(e) => setNext(e.target.value)}
                />
              </Field>
              {error !== undefined && <ProblemBox error={error} />}
              <div>
                <Button
                  type="primary"
                  htmlType="submit"
                  loading={busy}
                  disabled={!current || next.length < 12}
                >
                  {t("settings.changePassword")}
                </Button>
              </div>
            </form>
          </Card>
        </>
      )}
    </Loaded>
  );
}
