package experiment

import "github.com/allspark/allspark/proto/gear"

// Block is what the users of one block did.
type Block struct {
	Requests float64
	Answered float64 // requests that were not shed: those that have an RT
	Timeouts float64
	RT       float64 // µs, summed
	Value    float64
}

func (b *Block) add(o *Block) {
	b.Requests += o.Requests
	b.Answered += o.Answered
	b.Timeouts += o.Timeouts
	b.RT += o.RT
	b.Value += o.Value
}

// BlocksOf reads the blocks of a report.
func BlocksOf(r *gear.BucketReport) *Blocks {
	var out Blocks
	for k := range r.Blocks {
		b := &r.Blocks[k]
		out[k] = Block{
			Requests: float64(b.Count), Answered: float64(b.Count - b.Shed), Timeouts: float64(b.Timeouts),
			RT: float64(b.RTSum.Microseconds()), Value: b.Value,
		}
	}
	return &out
}

// Blocks are an arm's random groups of users.
type Blocks [gear.Blocks]Block

// Add adds another replica's, or another hour's.
func (b *Blocks) Add(o *Blocks) {
	for k := range b {
		b[k].add(&o[k])
	}
}

// Total is the whole arm.
func (b *Blocks) Total() (out Block) {
	for k := range b {
		out.add(&b[k])
	}
	return out
}

// Metric names what is compared.
type Metric string

// The metrics: ratios of two sums over the blocks.
const (
	MetricValue    Metric = "value"    // a request
	MetricRT       Metric = "rt"       // µs a request that was answered
	MetricTimeouts Metric = "timeouts" // share of requests
)

// Metrics gives all of them, the first is the one an experiment is about.
func Metrics() []Metric { return []Metric{MetricValue, MetricRT, MetricTimeouts} }

// of gives a metric's numerator and denominator.
func (m Metric) of(b *Block) (y, x float64) {
	switch m {
	case MetricRT:
		return b.RT, b.Answered
	case MetricTimeouts:
		return b.Timeouts, b.Requests
	default:
		return b.Value, b.Requests
	}
}
