export default {
  title: "Changes",
  revision: "Revision",
  at: "When",
  cause: "Cause",
  epoch: "Epoch",
  none: "No change in this time",
  span: "Time",
  spans: { 1: "Last hour", 6: "6 hours", 24: "1 day", 168: "7 days" },
  noneHint: "A revision appears when the orders of an app in an IDC become different.",
  progress: "Who holds it",
  differences: "Orders that differ: {{count}}",
};
