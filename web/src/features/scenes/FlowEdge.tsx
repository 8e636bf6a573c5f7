import { BaseEdge, getBezierPath, type EdgeProps } from "@xyflow/react";
import { memo, useContext } from "react";
import { count } from "../../ui/format";
import { Live, rateOf } from "./live";

/** A call: as wide as it has requests beside the busiest, in quarters of a pixel. */
export const Call = memo(function Call(edge: EdgeProps) {
  const { nodes, most } = useContext(Live);
  const qps = rateOf(nodes.get(edge.target));
  return (
    <Curve
      sourceX={edge.sourceX}
      sourceY={edge.sourceY}
      sourcePosition={edge.sourcePosition}
      targetX={edge.targetX}
      targetY={edge.targetY}
      targetPosition={edge.targetPosition}
      label={qps === undefined ? undefined : `${count(qps)}/s`}
      width={qps === undefined ? undefined : Math.round(4 + (12 * qps) / most) / 4}
    />
  );
});

type Ends = Pick<
  EdgeProps,
  "sourceX" | "sourceY" | "sourcePosition" | "targetX" | "targetY" | "targetPosition"
>;

/**
 * The library's own label measures its text to lay a ground under it, which makes the
 * browser lay out the page for each; here the text has an edge in the ground's colour.
 */
const Curve = memo(function Curve({ label, width, ...ends }: Ends & { label?: string; width?: number }) {
  const [path, x, y] = getBezierPath(ends);
  return (
    <>
      <BaseEdge path={path} style={width === undefined ? undefined : { strokeWidth: width }} />
      {label !== undefined && (
        <text className="react-flow__edge-text" x={x} y={y} textAnchor="middle" dominantBaseline="central">
          {label}
        </text>
      )}
    </>
  );
});
