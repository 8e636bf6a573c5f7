package restapi

import (
	"encoding/base64"
	"sort"

	"github.com/allspark/allspark/server/api"
)

// pageOf cuts a page out of a sorted list held in memory; key must rise.
func pageOf[T, D any](all []T, in Paged, key func(T) string, to func(T) D) (*plain[api.Page[D]], error) {
	after, err := cursorKey(in.Cursor)
	if err != nil {
		return nil, err
	}
	if after != "" {
		all = all[sort.Search(len(all), func(i int) bool { return key(all[i]) > after }):]
	}
	p := api.Page[D]{Items: make([]D, 0, min(len(all), in.Limit))}
	for i, x := range all {
		if i == in.Limit {
			p.NextCursor = cursorOf(key(all[i-1]))
			break
		}
		p.Items = append(p.Items, to(x))
	}
	return &plain[api.Page[D]]{p}, nil
}

func cursorOf(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(key)) }

func cursorKey(cursor string) (string, error) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", newFailure(400, "", "cursor wants a next_cursor as it was sent", "")
	}
	return string(b), nil
}

// mapped converts a slice and never gives null.
func mapped[T, D any](in []T, to func(T) D) []D {
	out := make([]D, len(in))
	for i, x := range in {
		out[i] = to(x)
	}
	return out
}
