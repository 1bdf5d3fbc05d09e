package demo

import (
	"context"
	"net/http"
	"net/url"

	"slipway/internal/vocab/auth"
)

// addWebsite gives the channel of the website its pages. Visitors can choose a time for a sea trial
// with the people in sales.
func (s *seeder) addWebsite(ctx context.Context, e *environment) error {
	slug := "chesapeake-marine"
	if e.mode == auth.Live {
		slug = "chesapeake-marine-live"
	}
	var created struct{ URL string }
	err := s.as(e.key).send(ctx, http.MethodPut, "/v2-preview/channels/"+e.channel+"/website", object{
		"slug": slug, "color": "#0b6f7e",
		"fine_print": "Chesapeake Marine Sales, Inc. Prices do not include tax, title, registration, or the $499 documentation fee. " +
			"Specifications come from builders and earlier owners. Ask for a survey before you buy.",
		"locations": []any{
			object{"location_id": e.locations["ANN"], "hours": "Monday to Saturday, 9 AM to 6 PM"},
			object{"location_id": e.locations["BAL"], "hours": "Tuesday to Saturday, 9 AM to 5 PM"},
		},
		"estimate": object{"down_percent": 20, "months": 240, "apr_percent": "7.99", "price_min": object{"amount": 4_000_000, "currency": "USD"}, "age_max": 20},
		"sea_trials": object{
			"user_ids": []string{e.staff["Teresa Vaughn"], e.staff["Cole Brandt"], e.staff["Marcus Bell"]}, "times": []string{"10:00", "13:00", "15:30"},
		},
	}, &created)
	if err != nil {
		return err
	}
	u, err := url.Parse(created.URL)
	if err != nil {
		return err
	}
	e.website = u.Path // the address of the demo is not known yet
	return nil
}
