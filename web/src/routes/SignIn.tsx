import { Button, Input } from "antd";
import { useState, type FormEvent } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { client, take } from "../api/client";
import { queryClient } from "../api/live";
import { LanguageSwitch, ThemeSwitch } from "../app/switches";
import { ProblemBox } from "../ui/states";

/** Only a path of this console may be returned to, never another origin. */
export function safeReturn(to: string | null): string {
  return to && /^\/(?![/\\])/.test(to) && !to.startsWith("/sign-in") ? to : "/";
}

export function SignIn() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await take(client.POST("/api/v1/sessions", { body: { name, password } }));
      queryClient.clear();
      await navigate(safeReturn(params.get("to")), { replace: true });
    } catch (e) {
      setError(e);
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <section className="banner">
        <h1>
          <img src="/spark.svg" alt="" width="40" height="40" /> AllSpark
        </h1>
        <p>{t("app.tagline")}</p>
      </section>
      <form className="form" onSubmit={(e) => void submit(e)}>
        <div className="row" style={{ justifyContent: "flex-end" }}>
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
        <h2>{t("app.signIn")}</h2>
        {params.get("to") && !error && <div className="note">{t("app.signInAgain")}</div>}
        {error !== undefined && <ProblemBox error={error} />}
        <label className="stack" style={{ gap: 4 }}>
          {t("app.user")}
          <Input
            size="large"
            name="name"
            autoComplete="username"
            autoFocus
            value={name}
            onChange={(e) => setName(e.target.value)}
          />
        </label>
        <label className="stack" style={{ gap: 4 }}>
          {t("app.password")}
          <Input.Password
            size="large"
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={(e) => setPassword(e.target.value)}
          />
        </label>
        <Button type="primary" size="large" htmlType="submit" loading={busy} disabled={!name || !password}>
          {t("app.signIn")}
        </Button>
        <p className="soft">{t("app.firstPassword")}</p>
      </form>
    </main>
  );
}
