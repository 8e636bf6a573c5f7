package demo

import (
	"context"
	"fmt"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/fault"
	"github.com/allspark/allspark/server/quota"
	"github.com/allspark/allspark/server/template"
)

// defaultQuota is what the search nodes rank without a controller: at the default
// load they are then about as busy as by their default gears.
const defaultQuota = 150

// QuotaGroup is the budget of the search nodes' rank.
//
// At the default rate of 40 copies 220 requests a second rank 150 candidates each,
// 33,000 a second, and the nodes are 60 % busy. The budget is a fifth above that:
// at 80 copies it binds, and candidates fall to about 90.
func QuotaGroup() *quota.Group {
	s := quota.DefaultSettings()
	s.Total, s.Min, s.Max, s.Default, s.Normalise = 40_000, 15, 300, defaultQuota, true
	return &quota.Group{
		Name: "rank", Description: "Candidates that the search nodes rank: one budget for both IDCs.", Enabled: true,
		Members:  []template.Selector{{Scene: gear.Any, IDC: gear.Any, App: "sn", Point: "rank"}},
		Settings: s,
	}
}

// SeedQuota makes the group once; what an operator changed or deleted since stays so.
func SeedQuota(ctx context.Context, groups *quota.Service, store quota.Store) error {
	g := QuotaGroup()
	if _, err := store.GetGroup(ctx, g.Name); err == nil || !fault.Is(err, fault.NotFound) {
		return err
	}
	_, err := groups.Create(ctx, g, once("quota/"+g.Name))
	if err != nil && !fault.Is(err, fault.Duplicate) && !fault.Is(err, fault.Conflict) {
		return fmt.Errorf("seed quota group %s: %w", g.Name, err)
	}
	return nil
}
