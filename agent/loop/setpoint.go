package loop

import (
	"time"

	"github.com/allspark/allspark/proto/gear"
)

// Setpoint is what an order asks of every request at a point.
type Setpoint struct {
	Level   int
	Timeout time.Duration // 0 when the order sets none
}

// Of gives the order's setpoint.
func Of(o *gear.Order) Setpoint {
	s := Setpoint{Level: min(max(o.Level, o.MinLevel), o.MaxLevel)}
	if o.Strategy != gear.StrategyExternalTimeout {
		return s
	}
	s.Timeout = o.Timeout
	if lo, ok := o.Lookup(gear.SettingMinTimeout); ok {
		s.Timeout = max(s.Timeout, lo.Duration())
	}
	if hi, ok := o.Lookup(gear.SettingMaxTimeout); ok {
		s.Timeout = min(s.Timeout, hi.Duration())
	}
	return s
}

// Capabilities names the strategies obeyed here, for the agent's hello.
func Capabilities() []string {
	return []string{string(gear.StrategyFixed), string(gear.StrategyCentral), string(gear.StrategyCrowdRT), string(gear.StrategyExternalTimeout)}
}
