package fault

// Clash is the Detail of a Stale error: what a merge needs. Base is the object
// as it was at the version the caller edited (nil when no longer known), Theirs
// as it is now. Both are domain objects of the caller's type.
type Clash struct {
	Base   any
	Theirs any
}
