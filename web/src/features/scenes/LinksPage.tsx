import { lazy, Suspense, useCallback, useDeferredValue, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { clock, dateTime, ms } from "../../ui/format";
import { Card, PageHead } from "../../ui/marks";
import { Empty, Loaded, ProblemBox, Skeleton } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { useSceneAt, useScenes } from "./api";
import { CompareTable } from "./CompareTable";
import { minuteOf, momentText, paneOf, pointPath, queryOf, type Pane } from "./links";
import { Scrub } from "./Scrub";
import type { Scene, SceneLink } from "./types";
import "./scenes.css";

const Flow = lazy(() => import("./Flow"));

/** The links of a scene: one IDC, or two of them or two moments side by side, now or at a past minute. */
export function LinksPage() {
  const scenes = useScenes();
  const { t } = useTranslation();
  const [params] = useSearchParams();
  return (
    <div className="page">
      <Loaded query={scenes}>
        {(all) => {
          const scene = all.find((s) => s.name === params.get("scene")) ?? all[0];
          return scene ? (
            <Links key={scene.id} scene={scene} names={all.map((s) => s.name)} />
          ) : (
            <>
              <PageHead title={t("scenes.links")} />
              <Empty title={t("scenes.none")}>{t("scenes.noneHint")}</Empty>
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function Links({ scene, names }: { scene: Scene; names: string[] }) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const query = queryOf(params);
  const [text, setText] = useAddressText();
  const find = useDeferredValue(text);
  const first = useSceneAt(scene.name, query.at);
  // The other pane may be of the same moment: one query then serves both.
  const other = paneOf(query);
  const second = useSceneAt(scene.name, other ? other.at : query.at);
  // Every IDC that one of the two moments knows, so that a quiet minute hides no choice.
  const [known, learn] = useState<string[]>([]);
  const seen = [first.data, second.data].flatMap((d) => d?.links.map((l) => l.idc) ?? []);
  if (seen.some((i) => !known.includes(i))) learn([...new Set([...known, ...seen])].sort());
  const idc = query.idc ?? known[0];
  const set = (change: Record<string, string | undefined>) =>
    setParams(
      (p) => {
        for (const [k, v] of Object.entries(change))
          if (v) p.set(k, v);
          else p.delete(k);
        return p;
      },
      { replace: true },
    );
  const a: Pane = { idc, at: query.at };
  const b: Pane | undefined = other && { idc: other.idc ?? idc, at: other.at };
  const linkOf = (p: Pane | undefined, data: typeof first.data) => data?.links.find((l) => l.idc === p?.idc);
  const left = linkOf(a, first.data);
  const right = b && linkOf(b, second.data);
  const titleOf = (p: Pane) => `${p.idc ?? "–"} · ${momentText(p.at, t("scenes.now"), dateTime)}`;
  return (
    <>
      <PageHead title={t("scenes.links")}>
        {left && (
          <span className="soft">
            {t("scenes.target")} {ms(left.effective_ms)}
          </span>
        )}
      </PageHead>
      <div className="toolbar" data-search>
        <SearchField label={t("scenes.find")} text={text} onText={setText} width={200} />
        <Choice
          label={t("scenes.one")}
          value={scene.name}
          options={names.map((n) => [n, n])}
          onChange={(v) => set({ scene: v, idc: undefined, with: undefined })}
        />
        <Choice
          label={t("scenes.idc")}
          value={idc ?? ""}
          options={known.map((i) => [i, i])}
          onChange={(v) => set({ idc: v })}
        />
        <Choice
          label={t("scenes.beside")}
          value={query.with ? (query.with.startsWith("at:") ? "at" : query.with) : ""}
          options={[
            ["", t("scenes.alone")],
            ...known
              .filter((i) => i !== idc)
              .map((i): [string, string] => [`idc:${i}`, t("scenes.besideIDC", { idc: i })]),
            ["at", t("scenes.besideMoment")],
          ]}
          onChange={(v) =>
            set({ with: v === "at" ? `at:${minuteOf(Date.now() - 10 * 60_000)}` : v || undefined })
          }
        />
        {query.with?.startsWith("at:") && (
          <input
            type="datetime-local"
            className="native"
            aria-label={t("scenes.otherMoment")}
            value={localTime(query.with.slice(3))}
            onChange={(e) =>
              e.target.value && set({ with: `at:${minuteOf(new Date(e.target.value).getTime())}` })
            }
          />
        )}
        <Tabs
          label={t("scenes.links")}
          items={["graph", "table"].map((key) => ({ key, label: t(`scenes.views.${key}`) }))}
          value={query.view}
          onChange={(key) => set({ view: key === "graph" ? undefined : key })}
        />
      </div>
      <Scrub at={query.at} hours={query.hours} onChange={(c) => set(c)} />
      {[first, second].map((q, i) => q.error && <ProblemBox key={i} error={q.error} />)}
      {first.data === undefined ? (
        !first.error && <Skeleton />
      ) : query.view === "table" ? (
        <CompareTable
          scene={scene}
          find={find}
          left={{ title: titleOf(a), link: left }}
          right={b && { title: titleOf(b), link: right }}
        />
      ) : (
        <Suspense fallback={<Skeleton />}>
          <div className={b ? "scene-panes" : undefined}>
            <Graph scene={scene} pane={a} title={titleOf(a)} link={left} find={find} half={!!b} />
            {b && <Graph scene={scene} pane={b} title={titleOf(b)} link={right} find={find} half />}
          </div>
        </Suspense>
      )}
    </>
  );
}

function Graph(props: {
  scene: Scene;
  pane: Pane;
  title: string;
  link: SceneLink | undefined;
  find: string;
  half: boolean; // of the page's width
}) {
  const { t } = useTranslation();
  const { scene, pane, link } = props;
  const idc = link?.idc ?? "";
  const path = useCallback(
    (id: string) => {
      const to = pointPath(scene, idc, id);
      return pane.at ? `${to}?at=${encodeURIComponent(pane.at)}` : to;
    },
    [scene, idc, pane.at],
  );
  return (
    <Card title={props.title} flush>
      {link ? (
        <Flow
          label={`${t("scenes.tabs.link")} ${props.title}`}
          graph={scene.graph}
          live={link.nodes}
          find={props.find}
          size="tall"
          aspect={props.half ? 0.9 : 1.9}
          path={path}
        />
      ) : (
        <div className="state">
          <strong>{t("scenes.quiet")}</strong>
          {pane.at && <div>{clock(pane.at)}</div>}
        </div>
      )}
    </Card>
  );
}

function Choice(props: {
  label: string;
  value: string;
  options: [string, string][];
  onChange: (v: string) => void;
}) {
  return (
    <select
      className="native"
      aria-label={props.label}
      value={props.value}
      onChange={(e) => props.onChange(e.target.value)}
    >
      {props.options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** An instant as the browser's field for local times wants it. */
function localTime(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime())
    ? ""
    : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
