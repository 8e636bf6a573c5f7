package gear

import "time"

// Names of settings that other rooms read by name.
const (
	SettingAvailableRT     = "available_rt"
	SettingInterval        = "interval"
	SettingEtaDown         = "eta_down"
	SettingEtaUp           = "eta_up"
	SettingMaxDown         = "max_down"
	SettingMaxUp           = "max_up"
	SettingBand            = "band"
	SettingConfidence      = "confidence"
	SettingCrowds          = "crowds"
	SettingCrowdRatio      = "crowd_ratio"
	SettingForget          = "forget"
	SettingHoldOut         = "hold_out"
	SettingMinSamples      = "min_samples"
	SettingEmergencyRatio  = "emergency_ratio"
	SettingEmergencyWindow = "emergency_window"
	SettingTimeout         = "timeout"
	SettingMinTimeout      = "min_timeout"
	SettingMaxTimeout      = "max_timeout"
	SettingTimeoutRate     = "timeout_rate"
	SettingStepDown        = "step_down"
	SettingStepUp          = "step_up"
)

// Strategies lists every strategy in the order forms show them.
func Strategies() []Strategy {
	return []Strategy{StrategyFixed, StrategyCentral, StrategyCrowdRT, StrategyExternalTimeout}
}

// StrategyParams gives the typed settings of a strategy, nil for one that does
// not exist; the fixed strategy has none. A setting without a default must be
// set. The slice is the caller's.
func StrategyParams(s Strategy) []Param {
	switch s {
	case StrategyFixed:
		return []Param{}
	case StrategyCentral:
		return []Param{
			duration(SettingAvailableRT, time.Millisecond, time.Minute, 0),
			duration(SettingInterval, time.Second, 5*time.Minute, 10*time.Second),
			float(SettingBand, 0, 0.5, 0.05),
			count(SettingStepDown, 1, 20, 2),
			count(SettingStepUp, 1, 20, 1),
			count(SettingMinSamples, 1, 1_000_000, 30),
		}
	case StrategyCrowdRT:
		// The constants of the crowd loop: ln g moves by eta*ln(T/mean)/eps a step,
		// clipped to [-ln max_down, +ln max_up]; down fast, up slowly. With confidence
		// 1 and a band of 0.05, four seeds of the lab at 1.3 of nominal load had 1.8 %
		// of true means over T.
		return []Param{
			duration(SettingAvailableRT, time.Millisecond, time.Minute, 0),
			duration(SettingInterval, time.Second, 5*time.Minute, 10*time.Second),
			float(SettingEtaDown, 0.05, 1, 0.8),
			float(SettingEtaUp, 0.05, 1, 0.3),
			float(SettingMaxDown, 1.05, 10, 2),
			float(SettingMaxUp, 1.01, 2, 1.1),
			float(SettingBand, 0, 0.5, 0.04),
			float(SettingConfidence, 0, 4, 1.4),
			count(SettingCrowds, 1, 16, 8),
			float(SettingCrowdRatio, 1.1, 4, 1.5),
			float(SettingForget, 0.5, 0.999, 0.9),
			float(SettingHoldOut, 0, 0.1, 0.01),
			count(SettingMinSamples, 1, 1_000_000, 30),
			float(SettingEmergencyRatio, 1, 5, 1.1),
			duration(SettingEmergencyWindow, 500*time.Millisecond, 30*time.Second, 2*time.Second),
		}
	case StrategyExternalTimeout:
		return []Param{
			duration(SettingTimeout, time.Millisecond, time.Minute, 0),
			duration(SettingMinTimeout, time.Millisecond, time.Minute, time.Millisecond),
			duration(SettingMaxTimeout, time.Millisecond, time.Minute, time.Minute),
			float(SettingTimeoutRate, 0, 0.5, 0.01),
			duration(SettingInterval, time.Second, 5*time.Minute, 10*time.Second),
			float(SettingMaxDown, 1.05, 10, 2),
			float(SettingMaxUp, 1.01, 2, 1.1),
			count(SettingMinSamples, 1, 1_000_000, 30),
		}
	}
	return nil
}

func duration(name string, lo, hi, def time.Duration) Param {
	p := Param{Name: name, Kind: KindDuration, Min: Duration(lo), Max: Duration(hi)}
	if def > 0 {
		p.Default = Duration(def)
	}
	return p
}

func float(name string, lo, hi, def float64) Param {
	return Param{Name: name, Kind: KindFloat, Min: Float(lo), Max: Float(hi), Default: Float(def)}
}

func count(name string, lo, hi, def int64) Param {
	return Param{Name: name, Kind: KindInt, Min: Int(lo), Max: Int(hi), Default: Int(def)}
}

// Lookup finds a setting of the order.
func (o *Order) Lookup(setting string) (Value, bool) {
	for _, s := range o.Settings {
		if s.Name == setting {
			return s.Value, true
		}
	}
	return Value{}, false
}

// CheckSettings checks an order's settings against its strategy; paths are the
// settings' names.
func CheckSettings(s Strategy, settings []Setting) Problems {
	var out Problems
	params := StrategyParams(s)
	seen := make(map[string]bool, len(settings))
	for _, x := range settings {
		i := 0
		for i < len(params) && params[i].Name != x.Name {
			i++
		}
		switch {
		case seen[x.Name]:
			out.Add(x.Name, CodeDuplicate, quoted(x.Name)+" is set twice")
		case i == len(params):
			out.Add(x.Name, CodeUnknown, quoted(x.Name)+" is not a setting of strategy "+Shown(string(s)))
		default:
			if bad, ok := params[i].Check(x.Value); !ok {
				out.Add(bad.Path, bad.Code, bad.Message)
			}
		}
		seen[x.Name] = true
	}
	return out
}
