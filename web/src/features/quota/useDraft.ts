import { useCallback, useMemo, useState } from "react";
import type { Selector } from "../../api/types";
import {
  edited,
  faultsOf,
  isDirty,
  membersOf,
  none,
  rebased,
  valueOf,
  withMembers,
  type Edits,
} from "./draft";
import type { FieldKey } from "./fields";
import type { QuotaGroup } from "./types";

const nothing = new Map<string, string>();

/**
 * What is being changed about a group. While nothing is changed it follows the
 * group; from the first change on it stands on the version that was seen then.
 */
export function useDraft(newest: QuotaGroup) {
  const [edits, setEdits] = useState<Edits>(none);
  const [pinned, setPinned] = useState<QuotaGroup>();
  const [refused, setRefused] = useState<Map<string, string>>(nothing);
  const dirty = isDirty(edits);
  const base = dirty && pinned ? pinned : newest;

  const put = useCallback(
    (next: Edits) => {
      setPinned(isDirty(next) ? base : undefined);
      setEdits(next);
    },
    [base],
  );
  const faults = useMemo(() => faultsOf(base, edits), [base, edits]);
  return {
    base,
    edits,
    dirty,
    faults,
    stale: dirty && base.version !== newest.version,
    value: (key: FieldKey) => valueOf(base, edits, key),
    set: (key: FieldKey, text: string) => {
      put(edited(base, edits, key, text));
      if (refused.size) setRefused(nothing);
    },
    /** What the server said about fields when it refused them. */
    refused,
    refuse: setRefused,
    members: membersOf(base, edits),
    setMembers: (m: Selector[]) => put(withMembers(base, edits, m)),
    isEdited: (key: FieldKey) => edits.values[key] !== undefined,
    drop: () => put(none),
    /** Puts a newer group under the changes. */
    rebase: (g: QuotaGroup) => {
      const next = rebased(g, edits);
      setPinned(isDirty(next) ? g : undefined);
      setEdits(next);
    },
  };
}

export type Draft = ReturnType<typeof useDraft>;
