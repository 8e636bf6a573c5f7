import type { RawDecl } from "./declaration";
import { scalar } from "./typecheck";

export const strategies = ["fixed", "central", "crowd_rt", "external_timeout"] as const;

const dur = (name: string, min: string, max: string, def?: string): RawDecl => ({
  name,
  type: "duration",
  min: scalar(min, true),
  max: scalar(max, true),
  default: def ? scalar(def, true) : undefined,
});
const num =
  (type: string) =>
  (name: string, min: string, max: string, def: string): RawDecl => ({
    name,
    type,
    min: scalar(min),
    max: scalar(max),
    default: scalar(def),
  });
const float = num("float");
const int = num("int");

/** The typed settings of each strategy, as gear.StrategyParams declares them. One without default must be set. */
export function settingsOf(kind: string): RawDecl[] {
  switch (kind) {
    case "central":
      return [
        dur("available_rt", "1ms", "1m"),
        dur("interval", "1s", "5m", "10s"),
        float("band", "0", "0.5", "0.05"),
        int("step_down", "1", "20", "2"),
        int("step_up", "1", "20", "1"),
        int("min_samples", "1", "1000000", "30"),
      ];
    case "crowd_rt":
      return [
        dur("available_rt", "1ms", "1m"),
        dur("interval", "1s", "5m", "10s"),
        float("eta_down", "0.05", "1", "0.8"),
        float("eta_up", "0.05", "1", "0.3"),
        float("max_down", "1.05", "10", "2"),
        float("max_up", "1.01", "2", "1.1"),
        float("band", "0", "0.5", "0.04"),
        float("confidence", "0", "4", "1.4"),
        int("crowds", "1", "16", "8"),
        float("crowd_ratio", "1.1", "4", "1.5"),
        float("forget", "0.5", "0.999", "0.9"),
        float("hold_out", "0", "0.1", "0.01"),
        int("min_samples", "1", "1000000", "30"),
        float("emergency_ratio", "1", "5", "1.1"),
        dur("emergency_window", "500ms", "30s", "2s"),
      ];
    case "external_timeout":
      return [
        dur("timeout", "1ms", "1m"),
        dur("min_timeout", "1ms", "1m", "1ms"),
        dur("max_timeout", "1ms", "1m", "1m"),
        float("timeout_rate", "0", "0.5", "0.01"),
        dur("interval", "1s", "5m", "10s"),
        float("max_down", "1.05", "10", "2"),
        float("max_up", "1.01", "2", "1.1"),
        int("min_samples", "1", "1000000", "30"),
      ];
    default:
      return [];
  }
}
