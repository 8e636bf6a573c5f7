package quota_test

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/agent/quota"
	"github.com/allspark/allspark/proto/gear"
)

// A book answers by itself; agents feed it from their stream.
func ExampleQuota_Take() {
	book := quota.New(quota.Config{})
	rank := book.Quota("k2", "rank").Default(300)
	fmt.Println(rank.Take(1, 1000))

	book.Apply(gear.BaseQuotas{Frame: 1, Quotas: []gear.BaseQuota{{
		Group: "rank", Epoch: 1, Tick: 1, Base: 100,
		Terms: gear.QuotaTerms{
			Min: 10, Max: 1000, Default: 200, WeightMin: 0.5, WeightMax: 1.5, TTL: 500 * time.Millisecond,
			Places: []gear.QuotaPlace{{Scene: "*", Point: "rank"}},
		},
	}}})
	fmt.Println(rank.Take(1.5, 1000), rank.Take(0.5, 1000), rank.Take(1, 40))
	base, rung := rank.Base()
	fmt.Println(base, rung)
	// Output:
	// 300
	// 150 50 40
	// 100 live
}
