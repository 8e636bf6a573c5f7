import { Button, Input } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { EnrolmentToken, Grant, Token } from "../../api/types";
import { Ask, Field } from "../../ui/Ask";
import { byText, DataTable, type Column } from "../../ui/DataTable";
import { dateTime, isTime, useAgo } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import {
  createEnrolment,
  createToken,
  revokeEnrolment,
  revokeToken,
  useEnrolmentTokens,
  useTokens,
} from "./api";
import { GrantsField, GrantTags } from "./Grants";
import { Secret } from "./Secret";

interface Common {
  id: string;
  name: string;
  prefix: string;
  expires: string;
  revoked?: string;
  created_by: string;
}

function useCommonColumns<T extends Common>(onRevoke: (row: T) => void, middle: Column<T>[]): Column<T>[] {
  const { t } = useTranslation();
  return [
    {
      key: "name",
      title: t("templates.name"),
      render: (r) => <strong>{r.name}</strong>,
      sort: byText((r) => r.name),
    },
    { key: "prefix", title: t("settings.prefix"), render: (r) => <code>{r.prefix}…</code> },
    ...middle,
    {
      key: "state",
      title: t("agents.state"),
      render: (r) =>
        isTime(r.revoked) ? (
          <Tag tone="bad">{t("settings.revoked")}</Tag>
        ) : Date.parse(r.expires) < Date.now() ? (
          <Tag>{t("settings.expired")}</Tag>
        ) : (
          <Tag tone="good">{t("settings.valid")}</Tag>
        ),
    },
    {
      key: "expires",
      title: t("settings.expires"),
      render: (r) => dateTime(r.expires),
      sort: byText((r) => r.expires),
    },
    { key: "by", title: t("settings.createdBy"), render: (r) => r.created_by },
    {
      key: "do",
      title: "",
      width: 90,
      render: (r) =>
        !isTime(r.revoked) && (
          <Button size="small" danger onClick={() => onRevoke(r)}>
            {t("settings.revoke")}
          </Button>
        ),
    },
  ];
}

const named = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const lives = ["24h", "168h", "720h", "8760h"];

function LifeField({ value, onChange }: { value: string; onChange: (v: string) => void }) {
  const { t } = useTranslation();
  return (
    <Field label={t("settings.life")}>
      <select className="native" value={value} onChange={(e) => onChange(e.target.value)}>
        {lives.map((l) => (
          <option key={l} value={l}>
            {t(`settings.lives.${l}`)}
          </option>
        ))}
      </select>
    </Field>
  );
}

export function Tokens() {
  const { t } = useTranslation();
  const ago = useAgo();
  const query = useTokens();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Token>();
  const [secret, setSecret] = useState<{ name: string; secret: string }>();
  const [name, setName] = useState("");
  const [life, setLife] = useState("720h");
  const [grants, setGrants] = useState<Grant[]>([{ role: "viewer", app: "*", idc: "*" }]);
  const columns = useCommonColumns<Token>(setRevoking, [
    { key: "grants", title: t("settings.grants"), render: (r) => <GrantTags grants={r.grants} /> },
    { key: "used", title: t("settings.lastUsed"), render: (r) => ago(r.last_used) },
  ]);
  return (
    <>
      <div className="toolbar">
        <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={() => setCreating(true)}>
          {t("settings.newToken")}
        </Button>
        <span className="soft">{t("settings.tokenHint")}</span>
      </div>
      <Loaded query={query}>
        {(items) =>
          items.length ? (
            <DataTable
              label={t("settings.tabs.tokens")}
              columns={columns}
              rows={items}
              rowKey={(r) => r.id}
            />
          ) : (
            <Empty title={t("settings.noTokens")}>{t("settings.tokenHint")}</Empty>
          )
        }
      </Loaded>
      {creating && (
        <Ask
          title={t("settings.newToken")}
          ok={t("ui.create")}
          width={560}
          okDisabled={!named.test(name) || !grants.length}
          onClose={() => setCreating(false)}
          onOk={async (reason) => {
            const made = await createToken({ name, grants, for: life, reason: reason || undefined });
            if (made.secret) setSecret({ name, secret: made.secret });
          }}
        >
          <div className="row" style={{ gap: 12, alignItems: "flex-start" }}>
            <Field label={t("templates.name")} hint={t("settings.nameHint")}>
              <Input autoFocus value={name} onChange={(e) => setName(e.target.value)} />
            </Field>
            <LifeField value={life} onChange={setLife} />
          </div>
          <GrantsField value={grants} onChange={setGrants} />
        </Ask>
      )}
      {revoking && (
        <Ask
          title={t("settings.revokeTitle", { name: revoking.name })}
          ok={t("settings.revoke")}
          danger
          onClose={() => setRevoking(undefined)}
          onOk={(reason) => revokeToken(revoking.id, reason)}
        />
      )}
      {secret && <Secret title={secret.name} secret={secret.secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}

export function EnrolmentTokens() {
  const { t } = useTranslation();
  const query = useEnrolmentTokens();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<EnrolmentToken>();
  const [secret, setSecret] = useState<{ name: string; secret: string }>();
  const [form, setForm] = useState({ name: "", app: "", idc: "*", for: "24h" });
  const middle = useMemo<Column<EnrolmentToken>[]>(
    () => [
      { key: "app", title: t("points.app"), render: (r) => r.app, sort: byText((r) => r.app) },
      { key: "idc", title: t("points.idc"), render: (r) => r.idc, sort: byText((r) => r.idc) },
    ],
    [t],
  );
  const columns = useCommonColumns<EnrolmentToken>(setRevoking, middle);
  return (
    <>
      <div className="toolbar">
        <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={() => setCreating(true)}>
          {t("settings.newEnrolment")}
        </Button>
        <span className="soft">{t("settings.enrolmentHint")}</span>
      </div>
      <Loaded query={query}>
        {(items) =>
          items.length ? (
            <DataTable
              label={t("settings.tabs.enrolment")}
              columns={columns}
              rows={items}
              rowKey={(r) => r.id}
            />
          ) : (
            <Empty title={t("settings.noEnrolment")}>{t("settings.enrolmentHint")}</Empty>
          )
        }
      </Loaded>
      {creating && (
        <Ask
          title={t("settings.newEnrolment")}
          ok={t("ui.create")}
          okDisabled={!named.test(form.name) || !form.app || !form.idc}
          onClose={() => setCreating(false)}
          onOk={async (reason) => {
            const made = await createEnrolment({ ...form, reason: reason || undefined });
            if (made.secret) setSecret({ name: made.name, secret: made.secret });
          }}
        >
          <Field label={t("templates.name")} hint={t("settings.nameHint")}>
            <Input autoFocus value={form.name} onChange={(e) => setForm({ ...form, name: e.target.value })} />
          </Field>
          <div className="row" style={{ gap: 12 }}>
            <Field label={t("points.app")}>
              <Input
                value={form.app}
                placeholder="*"
                onChange={(e) => setForm({ ...form, app: e.target.value.trim() })}
              />
            </Field>
            <Field label={t("points.idc")}>
              <Input value={form.idc} onChange={(e) => setForm({ ...form, idc: e.target.value.trim() })} />
            </Field>
            <LifeField value={form.for} onChange={(v) => setForm({ ...form, for: v })} />
          </div>
        </Ask>
      )}
      {revoking && (
        <Ask
          title={t("settings.revokeTitle", { name: revoking.name })}
          ok={t("settings.revoke")}
          danger
          onClose={() => setRevoking(undefined)}
          onOk={(reason) => revokeEnrolment(revoking.id, reason)}
        />
      )}
      {secret && <Secret title={secret.name} secret={secret.secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}
