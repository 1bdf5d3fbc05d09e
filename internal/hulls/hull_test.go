package hulls

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/patch"
)

func create() HullCreate {
	return HullCreate{
		HIN: new("GRT40912B324"), Make: "Grady-White", Model: "Freedom 235", Year: 2024, LengthFt: 23.58, PriceUSD: 124900,
		LocationID: "loc_1", Status: Available, Condition: "new", Ownership: "owned",
	}
}

func TestCreateRules(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(c *HullCreate)
		kind   fault.Kind // zero: accepted
		field  string
	}{
		"valid":                     {func(*HullCreate) {}, fault.Kind{}, ""},
		"no hin on order":           {func(c *HullCreate) { c.HIN, c.Status = nil, OnOrder }, fault.Kind{}, ""},
		"no hin in transit":         {func(c *HullCreate) { c.HIN, c.Status = nil, InTransit }, fault.Kind{}, ""},
		"no hin with a reason":      {func(c *HullCreate) { c.HIN, c.HINAbsentReason = nil, new(HINBefore1972) }, fault.Kind{}, ""},
		"no hin":                    {func(c *HullCreate) { c.HIN = nil }, fault.KindBadRequest, "hin"},
		"hin and hin_absent_reason": {func(c *HullCreate) { c.HINAbsentReason = new(HINBefore1972) }, fault.KindUnprocessable, "hin_absent_reason"},
		"bad hin":                   {func(c *HullCreate) { c.HIN = new("ABC1O345A900") }, fault.KindUnprocessable, "hin"},
		"hin with a warning":        {func(c *HullCreate) { c.Year = 2019 }, fault.Kind{}, ""},
		"year 2028":                 {func(c *HullCreate) { c.Year = 2028 }, fault.Kind{}, ""},
		"year 2029":                 {func(c *HullCreate) { c.Year = 2029 }, fault.KindUnprocessable, "year"},
		"length rounds to 0":        {func(c *HullCreate) { c.LengthFt = 0.004 }, fault.KindUnprocessable, "length_ft"},
		"blank make":                {func(c *HullCreate) { c.Make = "  " }, fault.KindUnprocessable, "make"},
		"class of the category": {func(c *HullCreate) { c.Category, c.BoatClass = new(Sail), new(BoatClass("sail-sloop")) },
			fault.Kind{}, ""},
		"class of another category": {func(c *HullCreate) { c.Category, c.BoatClass = new(Power), new(BoatClass("sail-sloop")) },
			fault.KindUnprocessable, "boat_class"},
		"long key": {func(c *HullCreate) { c.Metadata = map[string]string{strings.Repeat("k", 41): ""} },
			fault.KindUnprocessable, "metadata"},
		"long value": {func(c *HullCreate) { c.Metadata = map[string]string{"k": strings.Repeat("v", 501)} },
			fault.KindUnprocessable, "metadata.k"},
	} {
		c := create()
		tt.change(&c)
		h, err := c.hull(now, "")
		if tt.field != "" {
			wantDetail(t, name, err, tt.kind, tt.field)
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if h.LengthFt <= 0 || h.MakeKey != "grady-white" {
			t.Errorf("%s: got %+v; want a length and the make key grady-white", name, h)
		}
	}
}

func TestAllErrorsTogether(t *testing.T) {
	c := create()
	c.Year, c.HIN, c.Make, c.BoatClass, c.Category = 3000, new("nonsense"), " ", new(BoatClass("sail-yawl")), new(Category("power"))
	_, err := c.hull(now, "")
	for _, field := range []string{"year", "hin", "make", "boat_class"} {
		wantDetail(t, field, err, fault.KindUnprocessable, field)
	}
}

func TestCategoryFollowsClass(t *testing.T) {
	for class, want := range map[BoatClass]Category{"": "power", "sail-ketch": "sail", "power-pwc": "pwc", "unpowered-kayak": "unpowered"} {
		c := create()
		if class != "" {
			c.BoatClass = &class
		}
		if h, err := c.hull(now, ""); err != nil || h.Category != want {
			t.Errorf("%s: got %s, %v; want no error, h.Category = %q", class, h.Category, err, want)
		}
	}
}

func TestPatchKeepsTheCountry(t *testing.T) {
	c := create()
	c.HIN = new("CA-ABC2AB41G091")
	h, err := c.hull(now, "")
	assert.NoError(t, err)
	assert.Equal(t, *h.HIN, "ABC2AB41G091")
	assert.Equal(t, *h.HINCountry, "CA")
	before := h
	if err := (HullPatch{Title: patch.Null[string]{Set: true, V: new("t")}}).apply(&h, now, ""); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.HINWarnings, h.HINWarnings); *h.HINCountry != "CA" || diff != "" {
		t.Errorf(`an unrelated change changed the hin: got %q %q; want h.HINCountry = "CA", diff = ""`, *h.HINCountry, diff)
	}
	if err := (HullPatch{HIN: patch.Null[string]{Set: true, V: new("GRT40912B324")}}).apply(&h, now, ""); err != nil || h.HINCountry != nil {
		t.Errorf("a new hin keeps the old country: got %v %v; want no error, h.HINCountry = nil", h.HINCountry, err)
	}
}

func TestMergeMetadata(t *testing.T) {
	old := map[string]string{"a": "1", "b": "2"}
	for _, tt := range []struct {
		patch *map[string]*string
		want  map[string]string
	}{
		{nil, map[string]string{}},
		{&map[string]*string{}, old},
		{&map[string]*string{"a": nil, "c": new("3")}, map[string]string{"b": "2", "c": "3"}},
	} {
		if diff := cmp.Diff(tt.want, patch.MergeMetadata(old, tt.patch)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestDaysInStock(t *testing.T) {
	for _, tt := range []struct {
		received *string
		sold     *time.Time
		want     *int64
	}{
		{nil, nil, nil},
		{new("2026-05-01"), nil, new(int64(0))},
		{new("2026-04-21"), nil, new(int64(10))},
		{new("2026-04-21"), new(now.AddDate(0, 0, -7)), new(int64(3))},
		{new("2026-06-01"), nil, new(int64(0))},
		{new("2026-03-07"), new(time.Date(2026, 3, 8, 5, 30, 0, 0, time.UTC)), new(int64(1))},  // 00:30
		{new("2026-03-07"), new(time.Date(2026, 3, 9, 4, 30, 0, 0, time.UTC)), new(int64(2))},  // 00:30 after a day of 23 hours
		{new("2026-10-31"), new(time.Date(2026, 11, 2, 4, 30, 0, 0, time.UTC)), new(int64(1))}, // 23:30 after a day of 25 hours
	} {
		h := Hull{ReceivedOn: tt.received, SoldAt: tt.sold, Timezone: "America/New_York"}
		h.derive(now)
		assert.Equal(t, h.DaysInStock, tt.want, tt.received, "until", tt.sold)
	}
}

func TestTerms(t *testing.T) {
	h := Hull{Make: "Grady-White", Model: "Freedom 235", Title: new("Bénéteau's équipe"),
		StockNumber: new("GW-1042"), HIN: new("GRT40912B324")}
	want := []string{"1042", "235", "beneteau", "beneteaus", "equipe", "freedom", "grady", "gradywhite",
		"grt40912b324", "gw", "gw1042", "s", "white"}
	if diff := cmp.Diff(want, h.terms()); diff != "" {
		t.Error(diff)
	}
}

func TestDerivedSpecs(t *testing.T) {
	two := SpecSheet{BeamFt: new(8.504), Engines: &[]SpecEngine{{HP: new(300.0)}, {HP: new(300.0)}}, Tanks: &SpecTanks{FuelGal: new(100.0)}}
	assert.NoError(t, two.check())
	assert.Equal(t, *two.BeamFt, 8.5)
	v := specRow{Specs: two, Version: 1}.view(Hull{LengthFt: 30}, true)
	assert.Equal(t, *v.EngineCount, 2)
	assert.Equal(t, *v.TotalPowerHP, 600)
	assert.Equal(t, *v.Metric.BeamM, 2.59)
	assert.Equal(t, *v.Metric.LengthM, 9.14)
	assert.Equal(t, *v.Metric.FuelL, 378.54)
	assert.Equal(t, *v.Metric.TotalPowerKW, 447.42)
	none := specRow{Specs: SpecSheet{Engines: &[]SpecEngine{}}}.view(Hull{}, false)
	unknown := specRow{}.view(Hull{}, false)
	assert.Equal(t, *none.EngineCount, 0)
	assert.Equal(t, *none.TotalPowerHP, 0)
	assert.Equal(t, unknown.EngineCount, nil)
	assert.Equal(t, unknown.TotalPowerHP, nil)
	assert.Equal(t, unknown.Metric, nil)
	deep := SpecSheet{DraftFt: &SpecDraft{Max: new(2.0), DriveUp: new(3.0)}}
	wantDetail(t, "draft", deep.check(), fault.KindUnprocessable, "draft_ft.drive_up")
}
