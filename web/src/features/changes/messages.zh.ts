export default {
  title: "变更",
  revision: "修订",
  at: "时间",
  cause: "原因",
  epoch: "纪元",
  none: "还没有变更",
  noneHint: "某应用在某机房的指令发生变化时会产生一个修订。",
  progress: "持有情况",
  differences: "有差异的指令：{{count}}",
};
