import { Button, Dropdown, Input } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Grant, User } from "../../api/types";
import { Ask, Field } from "../../ui/Ask";
import { byText, DataTable, type Column } from "../../ui/DataTable";
import { useAgo } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { createUser, deleteUser, resetPassword, signOutUser, updateUser, useUsers } from "./api";
import { GrantsField, GrantTags } from "./Grants";
import { Secret } from "./Secret";

type Doing = { kind: "create" } | { kind: "edit" | "delete" | "password" | "signOut"; user: User };

export function Users() {
  const { t } = useTranslation();
  const ago = useAgo();
  const query = useUsers();
  const [doing, setDoing] = useState<Doing>();
  const [secret, setSecret] = useState<{ name: string; password: string }>();
  const columns = useMemo<Column<User>[]>(
    () => [
      {
        key: "name",
        title: t("app.user"),
        render: (u) => (
          <>
            <strong>{u.name}</strong> <span className="soft">{u.display}</span>
          </>
        ),
        sort: byText((u) => u.name),
      },
      {
        key: "state",
        title: t("agents.state"),
        render: (u) =>
          u.disabled ? (
            <Tag tone="bad">{t("settings.disabled")}</Tag>
          ) : (
            <Tag tone="good">{t("settings.enabled")}</Tag>
          ),
      },
      { key: "grants", title: t("settings.grants"), render: (u) => <GrantTags grants={u.grants} /> },
      {
        key: "login",
        title: t("settings.lastLogin"),
        render: (u) => ago(u.last_login),
        sort: byText((u) => u.last_login ?? ""),
      },
      {
        key: "do",
        title: "",
        width: 130,
        render: (u) => (
          <span className="row">
            <Button size="small" onClick={() => setDoing({ kind: "edit", user: u })}>
              {t("ui.edit")}
            </Button>
            <Dropdown
              trigger={["click"]}
              menu={{
                items: [
                  {
                    key: "password",
                    label: t("settings.resetPassword"),
                    onClick: () => setDoing({ kind: "password", user: u }),
                  },
                  {
                    key: "signOut",
                    label: t("settings.signOutUser"),
                    onClick: () => setDoing({ kind: "signOut", user: u }),
                  },
                  {
                    key: "delete",
                    label: t("ui.delete"),
                    danger: true,
                    onClick: () => setDoing({ kind: "delete", user: u }),
                  },
                ],
              }}
            >
              <Button
                size="small"
                icon={<Icon name="more" size={12} />}
                aria-label={`${t("templates.more")} ${u.name}`}
              />
            </Dropdown>
          </span>
        ),
      },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps -- ago only depends on the language, as t does
    [t],
  );
  const close = () => setDoing(undefined);
  return (
    <>
      <div className="toolbar">
        <Button
          type="primary"
          icon={<Icon name="plus" size={13} />}
          onClick={() => setDoing({ kind: "create" })}
        >
          {t("settings.newUser")}
        </Button>
      </div>
      <Loaded query={query}>
        {(items) => (
          <DataTable
            label={t("settings.tabs.users")}
            columns={columns}
            rows={items}
            rowKey={(u) => u.id}
            initialSort={{ key: "name" }}
          />
        )}
      </Loaded>
      {doing?.kind === "create" && <UserForm onClose={close} onSecret={setSecret} />}
      {doing?.kind === "edit" && <UserForm user={doing.user} onClose={close} onSecret={setSecret} />}
      {doing && doing.kind !== "create" && doing.kind !== "edit" && (
        <Ask
          title={t(`settings.ask.${doing.kind}`, { name: doing.user.name })}
          ok={t(
            doing.kind === "delete"
              ? "ui.delete"
              : doing.kind === "password"
                ? "settings.resetPassword"
                : "settings.signOutUser",
          )}
          danger={doing.kind === "delete"}
          needReason
          onClose={close}
          onOk={async (reason) => {
            if (doing.kind === "delete") await deleteUser(doing.user, reason);
            else if (doing.kind === "signOut") await signOutUser(doing.user, reason);
            else {
              const made = await resetPassword(doing.user, reason);
              if (made.password) setSecret({ name: made.name, password: made.password });
            }
          }}
        />
      )}
      {secret && (
        <Secret
          title={t("settings.passwordOf", { name: secret.name })}
          secret={secret.password}
          onClose={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function UserForm(props: {
  user?: User;
  onClose: () => void;
  onSecret: (s: { name: string; password: string }) => void;
}) {
  const { t } = useTranslation();
  const u = props.user;
  const [name, setName] = useState(u?.name ?? "");
  const [display, setDisplay] = useState(u?.display ?? "");
  const [grants, setGrants] = useState<Grant[]>(u?.grants ?? [{ role: "viewer", app: "*", idc: "*" }]);
  const [disabled, setDisabled] = useState(u?.disabled ?? false);
  return (
    <Ask
      title={u ? t("settings.editUser", { name: u.name }) : t("settings.newUser")}
      ok={t(u ? "ui.save" : "ui.create")}
      width={560}
      okDisabled={!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)}
      onClose={props.onClose}
      onOk={async (reason) => {
        const common = { display: display || undefined, grants, reason: reason || undefined };
        if (u) await updateUser(u, { ...common, disabled });
        else {
          const made = await createUser({ name, ...common });
          if (made.password) props.onSecret({ name: made.name, password: made.password });
        }
      }}
    >
      <div className="row" style={{ gap: 12, alignItems: "flex-start" }}>
        <Field label={t("app.user")} hint={u ? undefined : t("settings.nameHint")}>
          <Input value={name} disabled={!!u} autoFocus={!u} onChange={(e) => setName(e.target.value)} />
        </Field>
        <Field label={t("settings.display")}>
          <Input value={display} onChange={(e) => setDisplay(e.target.value)} />
        </Field>
      </div>
      <GrantsField value={grants} onChange={setGrants} />
      {u && (
        <label className="check">
          <input type="checkbox" checked={disabled} onChange={(e) => setDisabled(e.target.checked)} />
          {t("settings.mayNotSignIn")}
        </label>
      )}
      {!u && <span className="soft">{t("settings.passwordGenerated")}</span>}
    </Ask>
  );
}
