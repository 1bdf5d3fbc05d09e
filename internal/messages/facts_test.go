package messages

import (
	"strings"
	"testing"
	"time"

	"slipway/internal/hulls"
)

// A fact differs only if the text is certainly about the boat of the lead.
func TestFacts(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	stock, hin, msrp := "GW-1042", "GRT40912B324", int64(159900)
	f := facts{
		boat:  &hulls.Hull{Year: 2024, Make: "Grady-White", Model: "Freedom 235", PriceUSD: 149900, MSRPUSD: &msrp, LengthFt: 23.58, StockNumber: &stock, HIN: &hin},
		hours: []float64{118.4},
		now:   time.Date(2026, 11, 19, 2, 0, 0, 0, time.UTC), // Wednesday evening
		planned: []Planned{
			{ID: "apt_1", What: "sea trial", StartsAt: time.Date(2026, 11, 21, 14, 30, 0, 0, zone)}, // Saturday
			{ID: "apt_2", What: "showing", StartsAt: time.Date(2026, 11, 15, 10, 0, 0, 0, zone)},    // the Sunday before
		},
	}
	for text, want := range map[string]string{
		"We ask $149,900 for it.":                              "$149,900 matches Asking price",
		"It is $149.9k, down from $159,900.00.":                "$149.9k matches Asking price; $159,900.00 matches MSRP",
		"A deposit of $500 is enough.":                         "$500 unknown Not the price of this boat",
		"$149,900 is fair. I repeat: $149,900.":                "$149,900 matches Asking price",
		"The 2024 Grady-White Freedom 235 is here.":            "2024 matches Model year",
		"The 2023 Freedom 235 is here.":                        "2023 differs The model year is 2024",
		"We also have a 2022 Freedom 235.":                     "2022 unknown The model year of this boat is 2024",
		"For your 2019 Grady-White we offer a trade.":          "2019 unknown The model year of this boat is 2024",
		"We opened in 2019.":                                   "",
		"Ask for stock number gw-1042.":                        "gw-1042 matches Stock number",
		"Ask for stock # GW-1043.":                             "GW-1043 differs Stock number is GW-1042",
		"We have 3 in stock.":                                  "",
		"The HIN is US-GRT40912B324.":                          "GRT40912B324 matches HIN",
		"HIN: GRT40912B325":                                    "GRT40912B325 differs HIN is GRT40912B324",
		"It is 24 feet long.":                                  "24 feet matches Length: 23.58 ft",
		`At 23' 7" it fits.`:                                   `23' 7" matches Length: 23.58 ft`,
		"It's 27 ft long.":                                     "27 ft differs The boat is 23.58 ft long",
		"LOA: 25.5 ft":                                         "25.5 ft differs The boat is 23.58 ft long",
		"Our slip is 30 ft long, and the beam is 8.5 ft.":      "30 ft unknown Not the length of this boat; 8.5 ft unknown Not the length of this boat",
		"It has 118 hours.":                                    "118 hours matches Engine hours",
		"It has 200 engine hours.":                             "200 engine hours differs Engine hours: 118.4",
		"There are 90 hours on the engine.":                    "90 hours on the engine differs Engine hours: 118.4",
		"We answer within 24 hours.":                           "",
		"See you Saturday at 2:30!":                            "Saturday at 2:30 matches Sea trial, Sat, Nov 21, 2:30 PM",
		"See you on Saturday, Nov 21 at 2:30 p.m. then.":       "Saturday, Nov 21 at 2:30 p.m matches Sea trial, Sat, Nov 21, 2:30 PM",
		"Is 11/21 at 2:30 am fine?":                            "11/21 at 2:30 am unknown Sea trial is at 2:30 PM",
		"How about Saturday at 10?":                            "Saturday at 10 unknown Sea trial is at 2:30 PM",
		"How about tomorrow 9:00?":                             "tomorrow 9:00 unknown Not in the calendar",
		"Thanks for the visit on Sunday at 10.":                "Sunday at 10 matches Showing, Sun, Nov 15, 10:00 AM",
		"On Saturday 2 boats arrive. We use 3/4 of the tank.":  "",
		"Friday at 10 for $149,900, or tomorrow at 25?":        "Friday at 10 unknown Not in the calendar; $149,900 matches Asking price",
		"We close on Monday. May 5 boats be tried on June 31?": "",
	} {
		var got []string
		for _, one := range f.find(text) {
			got = append(got, one.Text+" "+string(one.Result)+" "+one.Note)
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// Without a boat, only times are compared. Without known hours, nothing is wrong.
func TestFactsUnknown(t *testing.T) {
	f := facts{now: time.Date(2026, 11, 19, 2, 0, 0, 0, time.UTC)}
	if all := f.find("The 2023 Freedom 235 is $5 on Saturday at 10."); len(all) != 1 || all[0].Text != "Saturday at 10" {
		t.Error(all)
	}
	f.boat = &hulls.Hull{Year: 2024, Make: "Grady-White", Model: "Freedom 235"}
	if all := f.find("200 engine hours, HIN GRT40912B324"); len(all) != 2 || all[0].Result != "unknown" || all[1].Result != "unknown" {
		t.Error(all)
	}
}
