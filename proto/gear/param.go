package gear

// Monotonic is a hint how a parameter's value moves as the level rises. It is
// checked as a warning, never as an error: a gear may have its reasons.
type Monotonic uint8

// The monotonic hints.
const (
	MonotonicNone Monotonic = iota
	MonotonicUp             // never falls as the level rises
	MonotonicDown           // never rises as the level rises
)

// Param declares one typed parameter: what an app reads at a point (declared by
// code) and what a template sets (declared by its author).
type Param struct {
	Name string
	Kind Kind
	Unit string // for people: "tags", "ms", "docs"; never parsed

	// Min, Max and Step bound numeric kinds; each has the parameter's own kind
	// or is the zero Value, which means unbounded. A value must lie on Min +
	// k*Step (on k*Step without Min).
	Min, Max, Step Value

	// Values lists what an enum may be, in order.
	Values []string

	// Default answers while there is no order. Required where an app declares
	// the parameter, optional in a template.
	Default Value

	Monotonic Monotonic
}
