export default {
  title: "Changes",
  revision: "Revision",
  at: "When",
  cause: "Cause",
  epoch: "Epoch",
  none: "No change yet",
  noneHint: "A revision appears when the orders of an app in an IDC become different.",
  progress: "Who holds it",
  differences: "Orders that differ: {{count}}",
};
