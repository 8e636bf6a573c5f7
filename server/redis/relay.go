package redis

import (
	"time"

	"github.com/allspark/allspark/server/quota"
)

// doc is a decision as it is relayed. Replicas of two builds meet here: fields
// are only ever added.
type doc struct {
	Epoch    int64       `json:"epoch"`
	Tick     int64       `json:"tick"`
	At       time.Time   `json:"at"`
	Base     float64     `json:"base"`
	Scale    float64     `json:"scale"`
	Choices  []choiceDoc `json:"choices,omitempty"`
	Lambda   float64     `json:"lambda,omitempty"`
	Sum      float64     `json:"sum"`
	Total    float64     `json:"total"`
	Error    float64     `json:"error"`
	P        float64     `json:"p"`
	I        float64     `json:"i"`
	D        float64     `json:"d"`
	FF       float64     `json:"ff"`
	Frozen   bool        `json:"frozen"`
	Bound    int         `json:"bound"`
	Arrivals float64     `json:"arrivals"`
	Consumed float64     `json:"consumed"`
	Weight   float64     `json:"weight"`
	FrameSum float64     `json:"frame_sum"`
	Agents   int         `json:"agents"`
	Live     int         `json:"live"`
	Back     int         `json:"returning"`
	Fallback int         `json:"fallback"`
	Capped   int64       `json:"capped"`
}

type choiceDoc struct {
	From  float64 `json:"from"`
	Quota float64 `json:"quota"`
}

func toDoc(d *quota.Decision) *doc {
	out := &doc{
		Epoch: d.Epoch, Tick: d.Tick, At: d.At, Base: d.Base, Scale: d.Scale, Lambda: d.Lambda, Sum: d.Sum, Total: d.Total, Error: d.Error,
		P: d.Terms.P, I: d.Terms.I, D: d.Terms.D, FF: d.Terms.FeedForward, Frozen: d.Terms.Frozen, Bound: d.Terms.Bound,
		Arrivals: d.Arrivals, Consumed: d.Consumed, Weight: d.Weight, FrameSum: d.FrameSum,
		Agents: d.Crew.Agents, Live: d.Crew.Live, Back: d.Crew.Returning, Fallback: d.Crew.Fallback, Capped: d.Crew.Capped,
	}
	for _, c := range d.Choices {
		out.Choices = append(out.Choices, choiceDoc(c))
	}
	return out
}

func (d *doc) decision(group string) quota.Decision {
	out := quota.Decision{
		Group: group, Epoch: d.Epoch, Tick: d.Tick, At: d.At, Base: d.Base, Scale: d.Scale, Lambda: d.Lambda, Sum: d.Sum, Total: d.Total,
		Error:    d.Error,
		Terms:    quota.Terms{P: d.P, I: d.I, D: d.D, FeedForward: d.FF, Frozen: d.Frozen, Bound: d.Bound},
		Arrivals: d.Arrivals, Consumed: d.Consumed, Weight: d.Weight, FrameSum: d.FrameSum,
		Crew: quota.Crew{Agents: d.Agents, Live: d.Live, Returning: d.Back, Fallback: d.Fallback, Capped: d.Capped},
	}
	for _, c := range d.Choices {
		out.Choices = append(out.Choices, quota.Choice(c))
	}
	return out
}
