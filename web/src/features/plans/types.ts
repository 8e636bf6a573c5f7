import type { Schemas } from "../../api/types";

export type Freeze = Schemas["Freeze"];
export type Plan = Schemas["Plan"];
export type PlanAck = Schemas["PlanAck"];
export type PlanCheck = Schemas["PlanCheck"];
export type PlanConflict = Schemas["PlanConflict"];
export type PlanDetail = Schemas["PlanDetail"];
export type PlanDryRun = Schemas["PlanDryRun"];
export type PlanStep = Schemas["PlanStep"];
export type PlanTimeline = Schemas["PlanTimeline"];
export type PlanWarLog = Schemas["PlanWarLog"];
export type Rehearsal = Schemas["Rehearsal"];
export type RehearsalComparison = Schemas["RehearsalComparison"];
export type RehearsalCurve = Schemas["RehearsalCurve"];
export type RehearsalDetail = Schemas["RehearsalDetail"];
export type RehearsalInput = Schemas["RehearsalInput"];
export type RehearsalTotals = Schemas["RehearsalTotals"];

export type PlanState = Plan["state"];

/** A step on the chart of plans. */
export interface PlanEntry {
  plan: string;
  state: PlanState;
  step: PlanStep;
  conflicts: PlanConflict[];
}
