import type { Schemas } from "../../api/types";

export type Allocation = Schemas["Allocation"];
export type AllocationComparison = Schemas["AllocationComparison"];
export type AllocationTable = Schemas["AllocationTable"];
export type Judgement = Schemas["Judgement"];
export type Profile = Schemas["Profile"];
export type ProfileUpload = Schemas["ProfileUpload"];
export type Scene = Schemas["Scene"];
export type SceneDraft = Schemas["SceneDraft"];
export type SceneHistory = Schemas["SceneHistory"];
export type SceneGraph = Schemas["SceneGraph"];
export type SceneInput = Schemas["SceneInput"];
export type SceneLink = Schemas["SceneLink"];
export type SceneLinkNode = Schemas["SceneLinkNode"];
export type SceneLive = Schemas["SceneLive"];
export type SceneNode = Schemas["SceneNode"];
export type ScenePlace = Schemas["ScenePlace"];
