package deals

import (
	"testing"
	"time"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/money"
)

// A price is divided between the owner, the dealership and the co-broker.
func TestSettle(t *testing.T) {
	half := new(money.Percent("50"))
	for name, tt := range map[string]struct {
		l     ListingAgreement
		price int64
		want  Settlement
	}{
		"percent":                {ListingAgreement{CommissionPercent: new(money.Percent("10"))}, 8500000, Settlement{850000, 0, 7650000}},
		"percent is rounded":     {ListingAgreement{CommissionPercent: new(money.Percent("7.5"))}, 100, Settlement{8, 0, 92}},
		"amount":                 {ListingAgreement{CommissionCents: new(int64(500000))}, 8500000, Settlement{500000, 0, 8000000}},
		"amount above the price": {ListingAgreement{CommissionCents: new(int64(500000))}, 100000, Settlement{100000, 0, 0}},
		"net price":              {ListingAgreement{NetPriceCents: new(int64(8000000))}, 8500000, Settlement{500000, 0, 8000000}},
		"below the net price":    {ListingAgreement{NetPriceCents: new(int64(8000000))}, 7000000, Settlement{0, 0, 7000000}},
		"co-broker": {ListingAgreement{CommissionPercent: new(money.Percent("10")), CoBrokerSplitPercent: half}, 8500000,
			Settlement{850000, 425000, 7650000}},
	} {
		assert.Equal(t, tt.l.Settle(tt.price), tt.want, name)
	}
	l := ListingAgreement{CommissionPercent: new(money.Percent("10")), CoBrokerSplitPercent: half}
	assert.Equal(t, l.costCents(8500000), 8075000, "what the owner and the co-broker get")
}

func TestListingAgreementCheck(t *testing.T) {
	ten := new(money.Percent("10"))
	for name, tt := range map[string]struct {
		r  ListingAgreementReplace
		ok bool
	}{
		"percent":            {ListingAgreementReplace{CommissionPercent: ten}, true},
		"net price":          {ListingAgreementReplace{NetPriceCents: new(int64(1))}, true},
		"none":               {ListingAgreementReplace{}, false},
		"two":                {ListingAgreementReplace{CommissionPercent: ten, NetPriceCents: new(int64(1))}, false},
		"too much":           {ListingAgreementReplace{CommissionPercent: new(money.Percent("100.01"))}, false},
		"no number":          {ListingAgreementReplace{CommissionPercent: new(money.Percent("ten"))}, false},
		"split alone":        {ListingAgreementReplace{CommissionPercent: ten, CoBrokerSplitPercent: ten}, false},
		"co-broker alone":    {ListingAgreementReplace{CommissionPercent: ten, CoBroker: new("Bay")}, false},
		"co-broker, a split": {ListingAgreementReplace{CommissionPercent: ten, CoBroker: new("Bay"), CoBrokerSplitPercent: ten}, true},
	} {
		assert.Equal(t, tt.r.Check(time.Time{}) == nil, tt.ok, name)
	}
}
