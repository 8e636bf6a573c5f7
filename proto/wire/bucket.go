package wire

import (
	agentv1 "github.com/allspark/allspark/proto/agent/v1"
	"github.com/allspark/allspark/proto/gear"
)

func fromBucket(r *gear.BucketReport) *agentv1.BucketReport {
	p := &agentv1.BucketReport{Bucket: clean(r.Bucket), Point: fromPoint(&r.PointReport), Blocks: make([]*agentv1.BlockReport, gear.Blocks)}
	for k := range r.Blocks {
		b := &r.Blocks[k]
		p.Blocks[k] = &agentv1.BlockReport{Count: b.Count, Shed: b.Shed, Timeouts: b.Timeouts, RtSumUs: b.RTSum.Microseconds(), Value: b.Value}
	}
	return p
}

// bucket reads a bucket's report. Blocks beyond those known here are of a newer
// agent that groups users otherwise: its blocks are refused, as they would be mixed.
func (c *checker) bucket(i int, p *agentv1.BucketReport) gear.BucketReport {
	before := len(c.problems)
	r := gear.BucketReport{Bucket: c.name("bucket", p.GetBucket()), PointReport: c.pointReport(p.GetPoint())}
	if n := len(p.GetBlocks()); n == gear.Blocks {
		for k, b := range p.GetBlocks() {
			r.Blocks[k] = gear.BlockReport{
				Count: c.count("blocks.count", b.GetCount()), Shed: c.count("blocks.shed", b.GetShed()), Timeouts: c.count("blocks.timeouts", b.GetTimeouts()),
				RTSum: c.micros("blocks.rt_sum", b.GetRtSumUs()), Value: c.finite("blocks.value", b.GetValue()),
			}
		}
	} else {
		c.add("blocks", codeSize, "a bucket has %d blocks, got %d", gear.Blocks, n)
	}
	for k := before; k < len(c.problems); k++ {
		c.problems[k].Path = at("buckets", i) + "." + c.problems[k].Path
	}
	return r
}
