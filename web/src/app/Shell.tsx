import { App as AntApp, Dropdown } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, NavLink, Outlet, useLocation, useNavigate, useNavigation } from "react-router";
import { client, onSignedOut, take } from "../api/client";
import { takeLeave, useCurrentLeave } from "../api/glass";
import { queryClient, startLive, stopLive, togglePause, useLive } from "../api/live";
import { asProblem } from "../api/problem";
import { resourcesOf } from "../api/resources";
import { useMe } from "../api/session";
import { said } from "../said/said";
import { clock } from "../ui/format";
import { Icon } from "../ui/icons";
import { setPreferences, usePreferences } from "../ui/preferences";
import { Skeleton } from "../ui/states";
import { navItems, type NavItem } from "./feature";
import { Help } from "./Help";
import { useGlobalKeys } from "./keys";
import { Palette } from "./Palette";
import { DensitySwitch, LanguageSwitch, ThemeSwitch } from "./switches";

const groups: NavItem["group"][] = ["operate", "design", "govern"];

export function Shell() {
  const { t } = useTranslation();
  const { message } = AntApp.useApp();
  const navigate = useNavigate();
  const location = useLocation();
  const loading = useNavigation().state === "loading";
  const me = useMe();
  const { narrow } = usePreferences();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);

  const here = location.pathname + location.search;
  const unknown = me.error !== null && asProblem(me.error).status === 401;
  useEffect(() => {
    const leave = () => {
      stopLive();
      void navigate(`/sign-in${here === "/" ? "" : `?to=${encodeURIComponent(here)}`}`, { replace: true });
    };
    onSignedOut(leave);
    if (unknown) leave();
  }, [navigate, here, unknown]);

  const name = me.data?.name;
  useEffect(() => {
    if (!name) return;
    startLive("/api/v1/events", resourcesOf, () => void queryClient.invalidateQueries({ queryKey: ["me"] }));
    return stopLive;
  }, [name]);

  useGlobalKeys({
    onPalette: () => setPalette((open) => !open),
    onHelp: () => setHelp(true),
    onPause: togglePause,
    onGo: (key) => {
      const item = navItems.find((n) => n.key === key);
      if (item) void navigate(item.path);
      return !!item;
    },
  });

  const signOut = async () => {
    try {
      await take(client.DELETE("/api/v1/sessions/current", {}));
    } catch (error) {
      if (asProblem(error).status !== 401) {
        void message.error(said(asProblem(error).message));
        return;
      }
    }
    stopLive();
    takeLeave(undefined);
    queryClient.clear();
    await navigate("/sign-in", { replace: true });
  };

  return (
    <div className={`shell${narrow ? " narrow" : ""}`}>
      <nav className="nav" aria-label={t("app.navigation")}>
        <Link to="/" className="brand" aria-label="AllSpark">
          <img src="/spark.svg" alt="" />
          <span>AllSpark</span>
        </Link>
        {groups.map((group) => (
          <NavGroup key={group} group={group} />
        ))}
        <button
          type="button"
          className="item foot"
          aria-label={t(narrow ? "app.wide" : "app.narrow")}
          onClick={() => setPreferences({ narrow: !narrow })}
        >
          <Icon name={narrow ? "expand" : "collapse"} />
          <span>{t("app.narrow")}</span>
        </button>
      </nav>
      <div className="main">
        <header className="top">
          <button type="button" className="find" onClick={() => setPalette(true)}>
            <Icon name="search" size={14} />
            <span className="grow" style={{ textAlign: "left" }}>
              {t("app.find")}
            </span>
            <kbd>⌘K</kbd>
          </button>
          <span className="grow" />
          <GlassBadge />
          <LiveBadge />
          <PauseButton />
          <DensitySwitch />
          <ThemeSwitch />
          <LanguageSwitch />
          <button
            type="button"
            className="icon-button"
            aria-label={t("app.help")}
            title={`${t("app.help")} (?)`}
            onClick={() => setHelp(true)}
          >
            <Icon name="help" />
          </button>
          <Dropdown
            trigger={["click"]}
            menu={{
              items: [
                { key: "who", label: me.data?.display || name, disabled: true },
                {
                  key: "account",
                  label: t("app.account"),
                  onClick: () => void navigate("/settings?tab=account"),
                },
                { type: "divider" },
                { key: "out", label: t("app.signOut"), onClick: () => void signOut() },
              ],
            }}
          >
            <button type="button" className="icon-button text" aria-label={`${t("app.you")}: ${name ?? ""}`}>
              <span className="row" style={{ gap: 5 }}>
                <Icon name="user" />
                {name}
              </span>
            </button>
          </Dropdown>
        </header>
        <main className="fill" style={{ display: "flex", flexDirection: "column" }} aria-busy={loading}>
          {me.data ? (
            <Outlet />
          ) : (
            <div className="page">
              <Skeleton />
            </div>
          )}
        </main>
      </div>
      {palette && <Palette onClose={() => setPalette(false)} onSignOut={() => void signOut()} />}
      {help && <Help onClose={() => setHelp(false)} />}
    </div>
  );
}

function NavGroup({ group }: { group: NavItem["group"] }) {
  const { t } = useTranslation();
  return (
    <>
      <h2>{t(`app.groups.${group}`)}</h2>
      {navItems
        .filter((n) => n.group === group)
        .map((n) => (
          <NavLink
            key={n.path}
            to={n.path}
            end={n.path === "/"}
            title={`${t(n.label)} (g ${n.key})`}
            className={({ isActive }) => `item${isActive ? " active" : ""}`}
          >
            <Icon name={n.icon} />
            <span>{t(n.label)}</span>
            {n.Badge && <n.Badge />}
          </NavLink>
        ))}
    </>
  );
}

/** Reminds of a leave in use: what is changed with it is flagged. */
function GlassBadge() {
  const { t } = useTranslation();
  const leave = useCurrentLeave();
  if (!leave) return null;
  return (
    <button
      type="button"
      className="live live-stale glass"
      title={t("ui.glass.badgeHint")}
      onClick={() => takeLeave(undefined)}
    >
      {t("ui.glass.badge", { until: clock(leave.until) })}
    </button>
  );
}

/** Says how fresh the page is. Without a live stream it says since when. */
function LiveBadge() {
  const { t } = useTranslation();
  const live = useLive();
  const since = live.since ? clock(live.since) : "";
  switch (live.mode) {
    case "on":
      return <span className="live live-on">{t("app.live.on")}</span>;
    case "paused":
      return (
        <span className="live live-paused" role="status">
          {t("app.live.paused", { since })}
        </span>
      );
    case "polling":
      return (
        <span className="live live-stale" role="status" title={t("app.live.pollingHint")}>
          {since ? t("app.live.stale", { since }) : t("app.live.polling")}
        </span>
      );
    default:
      return <span className="live">{t("app.live.connecting")}</span>;
  }
}

function PauseButton() {
  const { t } = useTranslation();
  const paused = useLive().mode === "paused";
  const label = t(paused ? "app.resume" : "app.pause");
  return (
    <button
      type="button"
      className="icon-button"
      aria-pressed={paused}
      aria-label={label}
      title={`${label} (p)`}
      onClick={togglePause}
    >
      <Icon name={paused ? "play" : "pause"} />
    </button>
  );
}
