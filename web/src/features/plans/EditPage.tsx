import { useState } from "react";
import { useParams, useSearchParams } from "react-router";
import { useMe } from "../../api/session";
import { Loaded } from "../../ui/states";
import { usePlan } from "./api";
import { blank, docOf, doubleEleven } from "./document";
import { PlanEditor } from "./PlanEditor";
import "./plans.css";

/** A new plan: empty, the Double-11 example, or a copy of another. */
export function NewPage() {
  const [params] = useSearchParams();
  const from = params.get("from") ?? "";
  return from && from !== "example" ? <CopyOf plan={from} /> : <Fresh example={from !== ""} />;
}

function Fresh({ example }: { example: boolean }) {
  const me = useMe();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [doc] = useState(() =>
    example ? doubleEleven(Date.now()) : blank(me.data?.name ?? "", zone, Date.now()),
  );
  return <PlanEditor key={String(example)} initial={doc} />;
}

function CopyOf({ plan }: { plan: string }) {
  const query = usePlan(plan, 60_000);
  return query.data ? (
    <PlanEditor initial={{ ...docOf(query.data.document), name: `${plan}-copy` }} />
  ) : (
    <div className="page">
      <Loaded query={query}>{() => null}</Loaded>
    </div>
  );
}

export function EditPage() {
  const { plan = "" } = useParams();
  const query = usePlan(plan, 60_000);
  return query.data ? (
    <PlanEditor key={plan} saved={query.data} initial={docOf(query.data.document)} />
  ) : (
    <div className="page">
      <Loaded query={query}>{() => null}</Loaded>
    </div>
  );
}
