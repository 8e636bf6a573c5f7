import type { Schemas } from "../../api/types";

export type Allocation = Schemas["Allocation"];
export type AllocationComparison = Schemas["AllocationComparison"];
export type AllocationTable = Schemas["AllocationTable"];
export type Judgement = Schemas["Judgement"];
export type Scene = Schemas["Scene"];
export type SceneGraph = Schemas["SceneGraph"];
export type SceneLink = Schemas["SceneLink"];
export type SceneLinkNode = Schemas["SceneLinkNode"];
export type SceneLive = Schemas["SceneLive"];
