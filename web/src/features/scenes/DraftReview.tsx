import { Button } from "antd";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { count, dateTime, share } from "../../ui/format";
import { Tag } from "../../ui/marks";
import { Loaded, Skeleton } from "../../ui/states";
import { useDraft } from "./api";
import { placeText } from "./document";
import {
  agrees,
  chooseEdge,
  chooseNode,
  graphOf,
  reviewOf,
  seenOf,
  sureOf,
  type Choice,
  type EdgeRow,
  type Mark,
  type NodeRow,
} from "./draft";
import { edgeId } from "./graph";
import { MarkTag } from "./MarkTag";
import type { SceneDraft, SceneGraph, ScenePlace } from "./types";

const Flow = lazy(() => import("./Flow"));

interface Props {
  scene: string;
  have: SceneGraph;
  onTake: (graph: SceneGraph, front: ScenePlace | undefined) => void;
  onClose: () => void;
}

/** A graph made of what agents reported, beside the one that stands; nothing changes until it is taken. */
export function DraftReview(props: Props) {
  const { t } = useTranslation();
  const query = useDraft(props.scene);
  return (
    <section className="stack" aria-label={t("scenes.draftTitle", { scene: props.scene })}>
      <Loaded query={query}>
        {(draft) =>
          draft.graph.nodes.length === 0 ? (
            <Nothing draft={draft} onAgain={() => void query.refetch()} onClose={props.onClose} />
          ) : (
            // A newer draft is another question: what was chosen of the old one is not an answer to it.
            <Whole
              key={query.dataUpdatedAt}
              {...props}
              draft={draft}
              onAgain={() => void query.refetch()}
              asking={query.isFetching}
            />
          )
        }
      </Loaded>
    </section>
  );
}

function Nothing(props: { draft: SceneDraft; onAgain: () => void; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <div className="state">
      <strong>{t("scenes.draftNone", { scene: props.draft.scene })}</strong>
      <div>{t("scenes.draftNoneHint")}</div>
      <LeftOut draft={props.draft} />
      <div className="row" style={{ justifyContent: "center" }}>
        <Button onClick={props.onAgain}>{t("ui.retry")}</Button>
        <Button onClick={props.onClose}>{t("ui.cancel")}</Button>
      </div>
    </div>
  );
}

function Whole(props: Props & { draft: SceneDraft; onAgain: () => void; asking: boolean }) {
  const { t } = useTranslation();
  const { draft } = props;
  const review = useMemo(() => reviewOf(props.have, draft), [props.have, draft]);
  const [choice, setChoice] = useState<Choice>(() => seenOf(review));
  const graph = useMemo(() => graphOf(review, choice), [review, choice]);
  const marks = useMemo(
    () =>
      new Map<string, Mark>([
        ...review.nodes.map((n): [string, Mark] => [n.node.id, n.mark]),
        ...review.edges.map((e): [string, Mark] => [edgeId(e), e.mark]),
      ]),
    [review],
  );
  const most = Math.max(...draft.nodes.map((n) => n.seen));
  const toggle = (id: string, on: boolean) => setChoice((c) => chooseNode(review, c, id, on));
  return (
    <>
      <div className="row wrap">
        <strong>{t("scenes.draftTitle", { scene: props.scene })}</strong>
        <span className="soft">
          {t("scenes.draftOf", {
            n: count(most),
            since: dateTime(draft.since),
            until: dateTime(draft.until),
          })}
        </span>
        <span className="grow" />
        <Button onClick={props.onAgain} loading={props.asking}>
          {t("scenes.draftAgain")}
        </Button>
        <Button onClick={props.onClose}>{t("ui.cancel")}</Button>
        <Button
          type="primary"
          disabled={graph.nodes.length === 0}
          onClick={() => props.onTake(graph, draft.front)}
        >
          {t("scenes.draftTake", { nodes: graph.nodes.length, edges: graph.edges.length })}
        </Button>
      </div>
      {agrees(review) && <div className="note good">{t("scenes.draftSame")}</div>}
      {draft.front && <div className="soft">{t("scenes.draftFront", { place: placeText(draft.front) })}</div>}
      <Suspense fallback={<Skeleton />}>
        <Flow
          label={t("scenes.draftTitle", { scene: props.scene })}
          size="short"
          graph={graph}
          marks={marks}
        />
      </Suspense>
      <div className="scene-review">
        <Nodes rows={review.nodes} chosen={choice.nodes} onChoose={toggle} />
        <Edges
          rows={review.edges}
          choice={choice}
          onChoose={(e, on) => setChoice((c) => chooseEdge(c, e, on))}
        />
      </div>
      <LeftOut draft={draft} />
    </>
  );
}

function Nodes(props: {
  rows: NodeRow[];
  chosen: ReadonlySet<string>;
  onChoose: (id: string, on: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="table-box" tabIndex={-1}>
      <table className="data" aria-label={t("scenes.draftNodes")}>
        <thead>
          <tr>
            <th>{t("scenes.take")}</th>
            <th>{t("scenes.node")}</th>
            <th>{t("scenes.within")}</th>
            <th>{t("scenes.fedBy")}</th>
            <th className="num">{t("scenes.seen")}</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((r) => (
            <tr key={r.node.id} className={props.chosen.has(r.node.id) ? undefined : "dim"}>
              <td>
                <input
                  type="checkbox"
                  aria-label={t("scenes.takeOne", { what: r.node.id })}
                  checked={props.chosen.has(r.node.id)}
                  onChange={(e) => props.onChoose(r.node.id, e.target.checked)}
                />
              </td>
              <td>
                {r.node.id} {r.node.external && <Tag>{t("scenes.external")}</Tag>} <MarkTag mark={r.mark} />
              </td>
              <td>
                <Was now={r.node.within} was={r.was?.within} known={!!r.was} />
              </td>
              <td>
                <Was now={r.node.fed_by} was={r.was?.fed_by} known={!!r.was} />
              </td>
              <td className="num">
                {r.seen === undefined ? t("scenes.notSeen") : count(r.seen)}
                {r.within !== undefined && r.seen !== undefined && r.within < r.seen && (
                  <div className="soft">{t("scenes.cameSo", { share: share(r.within / r.seen, 0) })}</div>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A value beside the one that stands, where it stands otherwise. */
function Was({ now, was, known }: { now?: string; was?: string; known: boolean }) {
  return (
    <>
      {now || "–"}
      {known && (was ?? "") !== (now ?? "") && (
        <div>
          <del className="soft">{was || "–"}</del>
        </div>
      )}
    </>
  );
}

function Edges(props: { rows: EdgeRow[]; choice: Choice; onChoose: (e: EdgeRow, on: boolean) => void }) {
  const { t } = useTranslation();
  const { choice } = props;
  return (
    <div className="table-box" tabIndex={-1}>
      <table className="data" aria-label={t("scenes.draftEdges")}>
        <thead>
          <tr>
            <th>{t("scenes.take")}</th>
            <th>{t("scenes.edge")}</th>
            <th className="num">{t("scenes.order")}</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((e) => {
            const id = edgeId(e);
            const ends = choice.nodes.has(e.from) && choice.nodes.has(e.to);
            const name = `${e.from} → ${e.to}`;
            return (
              <tr key={id} className={ends && choice.edges.has(id) ? undefined : "dim"}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={t("scenes.takeOne", { what: name })}
                    disabled={!ends}
                    checked={ends && choice.edges.has(id)}
                    onChange={(x) => props.onChoose(e, x.target.checked)}
                  />
                </td>
                <td>
                  {name} <MarkTag mark={e.mark} />
                </td>
                <td className="num">
                  {e.seen === undefined || e.of === undefined ? (
                    t("scenes.notSeen")
                  ) : (
                    <>
                      {share(sureOf(e), 1)}{" "}
                      <div className="soft">
                        {t("scenes.ofSeen", { seen: count(e.seen), of: count(e.of) })}
                      </div>
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** What was seen and is no part of the graph, with the reason. */
function LeftOut({ draft }: { draft: SceneDraft }) {
  const { t } = useTranslation();
  if (draft.left.length === 0) return null;
  return (
    <div>
      <strong>{t("scenes.leftOut")}</strong>
      <ul>
        {draft.left.map((l) => (
          <li key={placeText(l.place)}>
            {placeText(l.place)}: <span className="soft">{said(l.reason)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
