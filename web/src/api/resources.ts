const every = [
  "agents",
  "alerts",
  "apps",
  "audit",
  "bindings",
  "changes",
  "claims",
  "experiments",
  "explain",
  "leaderboard",
  "freezes",
  "plan-timeline",
  "plans",
  "points",
  "progress",
  "scenes",
  "settings",
  "status",
  "templates",
  "tokens",
  "users",
  "wall",
];

/**
 * Which queries an event makes old. Rows of "point" events are written into the
 * cache by the points feature itself, so they name nothing here.
 */
export function resourcesOf(event: string): string[] {
  switch (event) {
    case "change":
      return ["changes", "points", "progress", "explain"];
    case "progress":
      return ["progress"];
    case "claim":
      return ["claims", "points", "explain", "experiments", "plans", "plan-timeline"];
    case "template":
      return ["templates", "audit"];
    case "binding":
      return ["bindings", "templates", "points", "audit"];
    case "scene":
      return ["scenes", "audit"];
    case "alert":
      return ["alerts", "audit"];
    case "agent":
      return ["agents", "status", "apps"];
    case "status":
      return ["status"];
    case "reset":
      return every;
    default:
      return [];
  }
}
