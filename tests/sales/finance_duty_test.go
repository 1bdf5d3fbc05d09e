package sales

import (
	"testing"

	"slipway/internal/finance"
	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
)

// booked returns a deal with a payment of $1,000, and a funding that is approved to fund.
func booked(s *testkit.Server) (path, payment, funding string) {
	path = "/v1/deals/" + structured(s)
	var made struct{ ID string }
	s.Test.Post(path+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 100000}`, 201, &made)
	payment = made.ID
	s.Test.Post(path+"/fundings", `{"lender": "Bay Federal"}`, 201, &made)
	for range 5 {
		s.Test.Post(path+"/fundings/"+made.ID+"/advance", nil, 200, nil)
	}
	return path, payment, made.ID
}

// Refunds and fundings need a manager, if a person records them: a salesperson and the finance office don't
// decide about money that leaves. A program has the scopes that it was given.
func TestMoneyNeedsAManager(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		for _, role := range []string{"sales", "finance"} {
			path, payment, funding := booked(s)
			before := deal(s, path[len("/v1/deals/"):])
			p := s.Person(role)
			refund := path + "/payments/" + payment + "/refund"
			p.Post(refund, `{"reason": "Too much"}`, 403, nil).WantDetail(t, "Authorization", "manager", role)
			p.Post(refund, `{"reason": "Bounced", "reversal": true}`, 403, nil).WantDetail(t, "Authorization", "manager", role)
			p.Post(path+"/cancel", `{"reason": "No", "deposit_outcome": "refund"}`, 403, nil).WantDetail(t, "deposit_outcome", "forbidden", role)
			p.Post(path+"/fundings/"+funding+"/advance", nil, 403, nil).WantDetail(t, "to", "forbidden", role)
			assert.Equal(t, deal(s, before.ID).Version, before.Version, "nothing changed")

			p.Post(path+"/payments", `{"kind": "deposit", "method": "card", "amount_cents": 1}`, 201, nil)
			p.Post(path+"/fundings/"+funding+"/advance", `{"to": "withdrawn"}`, 200, nil)
			p.Post(path+"/cancel", `{"reason": "No", "deposit_outcome": "forfeit"}`, 200, nil)
		}

		chief := s.Test.Role("deals:read", "deals:write")
		custom := s.As(s.Token(testkit.Rows[string](s, `SELECT email FROM users WHERE id = ?`, userWith(s, chief))[0]))
		path, payment, _ := booked(s)
		custom.Post(path+"/payments/"+payment+"/refund", `{"reason": "Too much"}`, 403, nil)
		s.Test.Patch("/v1/roles/"+chief, `{"manager": true}`, 200, nil)
		for who, c := range map[string]*testkit.Client{
			"a manager": s.Person("manager").Client, "a role for managers": custom, "an owner": s.Person("owner").Client, "a key": s.As(s.Key(auth.DealsRead, auth.DealsWrite)),
		} {
			path, payment, funding := booked(s)
			c.Post(path+"/payments/"+payment+"/refund", `{"reason": "Too much", "amount_cents": 1}`, 201, nil)
			var f finance.Funding
			c.Post(path+"/fundings/"+funding+"/advance", nil, 200, &f)
			assert.Equal(t, f.Status, finance.Funded, who)
			c.Post(path+"/fundings/"+funding+"/advance", `{"to": "charged_back"}`, 200, nil)
			c.Post(path+"/cancel", `{"reason": "No", "deposit_outcome": "refund"}`, 200, nil)
		}
	})
}

// userWith returns an active user with a role.
func userWith(s *testkit.Server, role string) string {
	id := s.Test.User(map[string]any{"role_ids": []string{role}})
	s.Activate(id)
	return id
}
