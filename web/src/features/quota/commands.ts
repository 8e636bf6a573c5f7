import { sh } from "../../ui/commands";

const line = (...words: string[]) => ["allspark", "quota", ...words].map(sh).join(" ");

export const showGroup = (name: string) => line("show", name);
export const applyGroup = (name: string) => line("apply", "-f", `${name}.yaml`);
export const calibrateGroup = (name: string) => line("calibrate", name);
