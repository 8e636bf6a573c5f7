package api

// Page is one page of a list.
type Page[T any] struct {
	Items      []T    `json:"items" doc:"The page's objects."`
	NextCursor string `json:"next_cursor,omitempty" doc:"Pass as cursor to get the next page; absent on the last one."`
}

// Reason is the body of actions that need nothing else.
type Reason struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why; kept in the audit log." example:"RT of k2 above target since 21:40"`
}

// PointKey names one control point of one scene in one IDC.
type PointKey struct {
	Scene string `json:"scene" doc:"Scene; * for every scene without orders of its own." example:"k2"`
	IDC   string `json:"idc" doc:"Machine room." example:"ea119"`
	App   string `json:"app" doc:"Application." example:"sn"`
	Point string `json:"point" doc:"Control point." example:"recall"`
}

// Version is an order set's place in the journal.
type Version struct {
	Epoch    int64 `json:"epoch" doc:"Rises when the journal went back or the lease changed hands."`
	Revision int64 `json:"revision" doc:"Global and rising." example:"41"`
}
