package finance_test

import (
	"slipway/internal/deals"
	"slipway/internal/testkit"
)

func deal(s *testkit.Server, id string) (d deals.Deal) {
	s.Test.Get("/v1/deals/"+id, 200, &d)
	return d
}
