import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { asProblem } from "../../api/problem";
import { clock, count, ms, share, statisticOf } from "../../ui/format";
import { Skeleton } from "../../ui/states";
import {
  countdown,
  healthOf,
  keyOf,
  off,
  shiftAt,
  sizeOf,
  useScreen,
  type Wall,
  type WallLink,
  type WallScene,
  type WallStep,
} from "./wallApi";
import "./wall.css";

/** The reader's clock, every second. */
function useNow(): number {
  const [now, set] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => set(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Asks the browser to keep the screen on; one that cannot goes dark as its owner set it. */
function useAwake() {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    const hold = () => {
      if (document.visibilityState === "visible")
        navigator.wakeLock?.request("screen").then(
          (l) => (lock = l),
          () => {},
        );
    };
    hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      document.removeEventListener("visibilitychange", hold);
      void lock?.release();
    };
  }, []);
}

/** The screen on the wall: read from across the room, never touched. */
export function WallPage() {
  const { t } = useTranslation();
  const { hash } = useLocation();
  const query = useScreen(keyOf(hash));
  const now = useNow();
  useAwake();
  const { x, y } = shiftAt(now);
  const denied = query.error !== null && [401, 403].includes(asProblem(query.error).status);
  const stale = query.error !== null || now - query.dataUpdatedAt > 10_000;
  return (
    <main className="wall" aria-label={t("overview.wall")} tabIndex={0}>
      <div
        className="wall-picture"
        data-shift={`${x},${y}`}
        style={{ transform: `translate(${x}px, ${y}px)` }}
      >
        <header>
          <h1>AllSpark</h1>
          {denied ? (
            <strong className="wall-state bad" role="status">
              {t("overview.linkGone")}
            </strong>
          ) : query.data === undefined && !query.error ? null : stale ? (
            <strong className="wall-state bad" role="status">
              ⚠{" "}
              {query.dataUpdatedAt
                ? t("app.live.stale", { since: clock(query.dataUpdatedAt) })
                : t("ui.problem.offline")}
            </strong>
          ) : (
            <span className="wall-state ok">● {t("app.live.on")}</span>
          )}
          <time>{clock(now)}</time>
        </header>
        {query.data && !denied ? (
          <Picture wall={query.data} dim={stale} now={now} />
        ) : (
          !query.error && <Skeleton rows={6} />
        )}
      </div>
    </main>
  );
}

function Picture({ wall, dim, now }: { wall: Wall; dim: boolean; now: number }) {
  const { t } = useTranslation();
  const a = wall.agents;
  // The screen's own clock may be off: countdowns run on the server's.
  const [skew] = useState(() => Date.parse(wall.at) - Date.now());
  const links = wall.scenes.reduce((n, s) => n + s.links.length, 0);
  return (
    <div className={`wall-body${dim ? " dim" : ""}`}>
      {wall.scenes.length ? (
        <div className="wall-scenes" style={{ fontSize: `${sizeOf(links)}em` }}>
          {wall.scenes.map((s) => (
            <Scene key={s.scene} scene={s} regulated={wall.regulated} />
          ))}
        </div>
      ) : (
        <p className="wall-none">{t("overview.noScenes")}</p>
      )}
      <footer>
        <section>
          <h2>{t("overview.agents")}</h2>
          <p className="wall-figure">
            {a.connected} <small>{t("overview.connected")}</small>
          </p>
          <p className={a.current < a.ordered || a.stale || a.refusing ? "warning" : ""}>
            {t("overview.wallAgents", {
              current: a.current,
              ordered: a.ordered,
              stale: a.stale,
              refusing: a.refusing,
            })}
          </p>
        </section>
        <section>
          <h2>{t("overview.alerts")}</h2>
          <p className={`wall-figure ${wall.alerts.unacked ? "danger" : ""}`}>
            {wall.alerts.open} <small>{t("overview.unacked", { count: wall.alerts.unacked })}</small>
          </p>
          {wall.alerts.titles.map((title) => (
            <p key={title}>⚠ {title}</p>
          ))}
        </section>
        <section className="grow">
          <h2>{t("overview.next")}</h2>
          {wall.next.length ? (
            <ol>
              {wall.next.slice(0, 3).map((s) => (
                <Step key={`${s.plan}/${s.step}/${s.start}`} step={s} now={now + skew} />
              ))}
            </ol>
          ) : (
            <p>{t("overview.noNext")}</p>
          )}
        </section>
        {!wall.decides && <strong className="danger">⚠ {t("overview.nobodyDecides")}</strong>}
      </footer>
    </div>
  );
}

export function Step({ step, now }: { step: WallStep; now: number }) {
  const { t } = useTranslation();
  const running = step.state === "running";
  const at = Date.parse(running ? (step.end ?? step.start) : step.start);
  return (
    <li>
      <b className="wall-countdown">{countdown(at - now)}</b>{" "}
      {t(running ? "overview.endsIn" : "overview.startsIn", { step: step.step, plan: step.plan })}{" "}
      <small>{clock(at)}</small>
    </li>
  );
}

function Scene({ scene, regulated }: { scene: WallScene; regulated: boolean }) {
  const { t } = useTranslation();
  return (
    <section className="wall-scene" aria-label={scene.scene}>
      <h2>
        {scene.scene} <small>{statisticOf(t, scene.statistic)}</small>
      </h2>
      {scene.links.map((l) => (
        <Link key={l.idc} link={l} regulated={regulated} name={t(`overview.health.${healthOf(l)}`)} />
      ))}
    </section>
  );
}

const marks = { ok: "●", warn: "▲", bad: "✖", silent: "○" };

function Link({ link: l, regulated, name }: { link: WallLink; regulated: boolean; name: string }) {
  const { t } = useTranslation();
  const health = healthOf(l);
  const by = off(l);
  return (
    <div className={`wall-link ${health}`}>
      <h3>
        {l.idc}
        <span className="wall-health">
          {by !== undefined && (
            <small className="wall-off">
              {by >= 0 ? "+" : "−"}
              {Math.abs(by * 100).toFixed(0)} %
            </small>
          )}
          {marks[health]} {name}
        </span>
      </h3>
      <p className="wall-figure">
        {l.actual_ms < 0 ? "–" : ms(l.actual_ms)} <small>/ {ms(l.effective_ms)}</small>
      </p>
      <dl>
        <dt>{t("scenes.gear")}</dt>
        <dd>{regulated ? t("scenes.gearOf", { step: l.step, steps: l.steps }) : "–"}</dd>
        <dt>{t("scenes.timeouts")}</dt>
        <dd>{share(l.timeouts)}</dd>
        <dt>CPU</dt>
        <dd>
          {share(l.cpu, 0)} <small>{l.cpu_app}</small>
        </dd>
        <dt>{t("overview.atFloor")}</dt>
        <dd>
          {l.at_floor} / {l.points}
        </dd>
        <dt>QPS</dt>
        <dd>{count(l.qps)}</dd>
      </dl>
    </div>
  );
}
