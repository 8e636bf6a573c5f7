import type { Schemas } from "../../api/types";

export type QuotaCalibration = Schemas["QuotaCalibration"];
export type QuotaCurve = Schemas["QuotaCurve"];
export type QuotaGroup = Schemas["QuotaGroup"];
export type QuotaGroupInput = Schemas["QuotaGroupInput"];
export type QuotaHistory = Schemas["QuotaHistory"];
export type QuotaPoint = Schemas["QuotaPoint"];
export type QuotaSettings = Schemas["QuotaSettings"];
export type QuotaSimulated = Schemas["QuotaSimulated"];
export type QuotaSimulation = Schemas["QuotaSimulation"];
export type QuotaState = Schemas["QuotaState"];
