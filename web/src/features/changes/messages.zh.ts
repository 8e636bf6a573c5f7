export default {
  title: "变更",
  revision: "修订",
  at: "时间",
  cause: "原因",
  epoch: "纪元",
  none: "这段时间内没有变更",
  span: "时间范围",
  spans: { 1: "最近 1 小时", 6: "6 小时", 24: "1 天", 168: "7 天" },
  noneHint: "某应用在某机房的指令发生变化时会产生一个修订。",
  progress: "持有情况",
  differences: "有差异的指令：{{count}}",
};
