package loop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/allspark/allspark/agent/loop"
	"github.com/allspark/allspark/proto/gear"
)

func TestSetpointFollowsTheOrderWithinItsBounds(t *testing.T) {
	ms := func(n int) gear.Value { return gear.Duration(time.Duration(n) * time.Millisecond) }
	for name, c := range map[string]struct {
		order gear.Order
		want  loop.Setpoint
	}{
		"fixed":               {gear.Order{Strategy: gear.StrategyFixed, Level: 4, MinLevel: 1, MaxLevel: 9}, loop.Setpoint{Level: 4}},
		"above its bound":     {gear.Order{Strategy: gear.StrategyFixed, Level: 12, MinLevel: 1, MaxLevel: 9}, loop.Setpoint{Level: 9}},
		"below its bound":     {gear.Order{Strategy: gear.StrategyCentral, Level: 1, MinLevel: 3, MaxLevel: 9}, loop.Setpoint{Level: 3}},
		"crowd at its level":  {gear.Order{Strategy: gear.StrategyCrowdRT, Level: 7, MinLevel: 1, MaxLevel: 9, AvailableRT: time.Second}, loop.Setpoint{Level: 7}},
		"a stray timeout":     {gear.Order{Strategy: gear.StrategyFixed, Level: 1, MinLevel: 1, MaxLevel: 1, Timeout: time.Second}, loop.Setpoint{Level: 1}},
		"external":            {gear.Order{Strategy: gear.StrategyExternalTimeout, Level: 1, MinLevel: 1, MaxLevel: 1, Timeout: 30 * time.Millisecond}, loop.Setpoint{Level: 1, Timeout: 30 * time.Millisecond}},
		"external, too short": {gear.Order{Strategy: gear.StrategyExternalTimeout, Level: 1, MinLevel: 1, MaxLevel: 1, Timeout: time.Millisecond, Settings: []gear.Setting{{Name: gear.SettingMinTimeout, Value: ms(5)}}}, loop.Setpoint{Level: 1, Timeout: 5 * time.Millisecond}},
		"external, too long":  {gear.Order{Strategy: gear.StrategyExternalTimeout, Level: 1, MinLevel: 1, MaxLevel: 1, Timeout: time.Second, Settings: []gear.Setting{{Name: gear.SettingMaxTimeout, Value: ms(50)}}}, loop.Setpoint{Level: 1, Timeout: 50 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, loop.Of(&c.order)) })
	}
}
