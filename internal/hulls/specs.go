package hulls

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// SpecSheet is the specification of a boat, in feet, pounds, gallons and
// knots. Unknown values are null.
type SpecSheet struct {
	Lengths           *SpecLengths  `json:"lengths" required:"false"`
	BeamFt            *float64      `json:"beam_ft" required:"false" exclusiveMinimum:"0" maximum:"500" example:"8.5"`
	DraftFt           *SpecDraft    `json:"draft_ft" required:"false"`
	BridgeClearanceFt *float64      `json:"bridge_clearance_ft" required:"false" exclusiveMinimum:"0" maximum:"500"`
	FreeboardFt       *float64      `json:"freeboard_ft" required:"false" exclusiveMinimum:"0" maximum:"100"`
	CabinHeadroomFt   *float64      `json:"cabin_headroom_ft" required:"false" exclusiveMinimum:"0" maximum:"50"`
	DeadriseDeg       *float64      `json:"deadrise_deg" required:"false" minimum:"0" maximum:"90" example:"20"`
	DryWeightLb       *float64      `json:"dry_weight_lb" required:"false" exclusiveMinimum:"0" maximum:"100000000" example:"4200"`
	DisplacementLb    *float64      `json:"displacement_lb" required:"false" exclusiveMinimum:"0" maximum:"100000000"`
	BallastLb         *float64      `json:"ballast_lb" required:"false" minimum:"0" maximum:"100000000"`
	HullMaterial      *string       `json:"hull_material" required:"false" enum:"aluminum,ferro_cement,fiberglass,fiberglass_composite,fiberglass_reinforced,hypalon,plastic,rubber_vinyl_canvas,steel,wood,other"`
	HullShape         *string       `json:"hull_shape" required:"false" enum:"catamaran,deep_vee,displacement,flat,foldable,modified_vee,monohull,planing,pontoon,rib,roll_up,semi_displacement,trimaran,tunnel,other"`
	HullColor         *string       `json:"hull_color" required:"false" maxLength:"50"`
	Keel              *string       `json:"keel" required:"false" enum:"full,fin,lifting,winged,twin,bulb,canting,other"`
	DesignCategory    *string       `json:"design_category" required:"false" enum:"ocean,offshore,inshore,sheltered"`
	Propulsion        *string       `json:"propulsion" required:"false" enum:"air_thrust,manual,propeller,sail,water_jet,other"`
	YearBuilt         *int64        `json:"year_built" required:"false" minimum:"1800" maximum:"9999"`
	Engines           *[]SpecEngine `json:"engines" required:"false" nullable:"true" maxItems:"12" doc:"An empty array means no engines. Null means unknown."`
	MaxPowerHP        *float64      `json:"max_power_hp" required:"false" minimum:"0" maximum:"100000"`
	Tanks             *SpecTanks    `json:"tanks" required:"false"`
	MaxPersons        *int64        `json:"max_persons" required:"false" minimum:"0" maximum:"10000"`
	MaxLoadLb         *float64      `json:"max_load_lb" required:"false" minimum:"0" maximum:"100000000"`
	Cabins            *int64        `json:"cabins" required:"false" minimum:"0" maximum:"1000"`
	Berths            *SpecBerths   `json:"berths" required:"false"`
	Heads             *int64        `json:"heads" required:"false" minimum:"0" maximum:"1000"`
	CruiseSpeedKn     *float64      `json:"cruise_speed_kn" required:"false" minimum:"0" maximum:"300"`
	MaxSpeedKn        *float64      `json:"max_speed_kn" required:"false" minimum:"0" maximum:"300"`
	RangeNm           *float64      `json:"range_nm" required:"false" minimum:"0" maximum:"100000"`
	Trailer           *SpecTrailer  `json:"trailer" required:"false"`
	Warranty          *SpecWarranty `json:"warranty" required:"false"`
	Highlights        *[]string     `json:"highlights" required:"false" nullable:"true" maxItems:"50" doc:"Selling points, one line each."`
}

// SpecLengths are the measured lengths of a boat.
type SpecLengths struct {
	_         struct{} `nullable:"true"`
	LOAFt     *float64 `json:"loa_ft" required:"false" exclusiveMinimum:"0" maximum:"1000" doc:"Length overall."`
	LWLFt     *float64 `json:"lwl_ft" required:"false" exclusiveMinimum:"0" maximum:"1000" doc:"Length at the waterline."`
	DeckFt    *float64 `json:"deck_ft" required:"false" exclusiveMinimum:"0" maximum:"1000"`
	NominalFt *float64 `json:"nominal_ft" required:"false" exclusiveMinimum:"0" maximum:"1000"`
}

// SpecDraft is the draft of a boat.
type SpecDraft struct {
	_       struct{} `nullable:"true"`
	Max     *float64 `json:"max" required:"false" exclusiveMinimum:"0" maximum:"200"`
	DriveUp *float64 `json:"drive_up" required:"false" exclusiveMinimum:"0" maximum:"200"`
}

// SpecEngine is one engine.
type SpecEngine struct {
	Position  *string  `json:"position" required:"false" enum:"single,port,starboard,center,inner_port,inner_starboard"`
	Make      *string  `json:"make" required:"false" maxLength:"100" example:"Yamaha"`
	Model     *string  `json:"model" required:"false" maxLength:"100" example:"F300"`
	Year      *int64   `json:"year" required:"false" minimum:"1850" maximum:"9999"`
	Serial    *string  `json:"serial" required:"false" maxLength:"100"`
	HP        *float64 `json:"hp" required:"false" minimum:"0" maximum:"100000" example:"300"`
	Hours     *float64 `json:"hours" required:"false" minimum:"0" maximum:"1000000"`
	Fuel      *string  `json:"fuel" required:"false" enum:"gas,diesel,electric,hybrid,other"`
	Type      *string  `json:"type" required:"false" enum:"outboard,outboard_2s,outboard_4s,inboard,sterndrive,v_drive,jet,pod,electric,other"`
	Drive     *string  `json:"drive" required:"false" enum:"direct,stern,v,sail,jet,pod,surface,other"`
	Propeller *string  `json:"propeller" required:"false" maxLength:"100"`
}

// SpecTanks are capacities.
type SpecTanks struct {
	_          struct{} `nullable:"true"`
	FuelGal    *float64 `json:"fuel_gal" required:"false" minimum:"0" maximum:"10000000"`
	WaterGal   *float64 `json:"water_gal" required:"false" minimum:"0" maximum:"10000000"`
	HoldingGal *float64 `json:"holding_gal" required:"false" minimum:"0" maximum:"10000000"`
}

// SpecBerths counts beds.
type SpecBerths struct {
	_      struct{} `nullable:"true"`
	Single *int64   `json:"single" required:"false" minimum:"0" maximum:"1000"`
	Double *int64   `json:"double" required:"false" minimum:"0" maximum:"1000"`
	Twin   *int64   `json:"twin" required:"false" minimum:"0" maximum:"1000"`
	Total  *int64   `json:"total" required:"false" minimum:"0" maximum:"1000"`
}

// SpecTrailer is the trailer a boat is sold with.
type SpecTrailer struct {
	_          struct{} `nullable:"true"`
	Included   *bool    `json:"included" required:"false"`
	Make       *string  `json:"make" required:"false" maxLength:"100"`
	Model      *string  `json:"model" required:"false" maxLength:"100"`
	Year       *int64   `json:"year" required:"false" minimum:"1900" maximum:"9999"`
	VIN        *string  `json:"vin" required:"false" maxLength:"30"`
	Axles      *int64   `json:"axles" required:"false" minimum:"1" maximum:"10"`
	CapacityLb *float64 `json:"capacity_lb" required:"false" minimum:"0" maximum:"1000000"`
}

// SpecWarranty is the remaining manufacturer's warranty.
type SpecWarranty struct {
	_            struct{}   `nullable:"true"`
	ExpiresAt    *time.Time `json:"expires_at" required:"false"`
	Transferable *bool      `json:"transferable" required:"false"`
}

// HullSpecs is a hull's specification sheet with derived values.
type HullSpecs struct {
	HullID string `json:"hull_id"`
	SpecSheet
	TotalPowerHP *float64     `json:"total_power_hp" doc:"Total of all engines. Null if the power of an engine is unknown."`
	EngineCount  *int64       `json:"engine_count" doc:"Number of engines. Null if unknown."`
	Metric       *SpecsMetric `json:"metric" doc:"Measurements in metric units. Null unless you send units=metric."`
	Version      int64        `json:"version" doc:"Number of the current version. 0 if there is no sheet yet."`
	UpdatedAt    *time.Time   `json:"updated_at"`
}

// Revision returns the version.
func (s HullSpecs) Revision() int64 { return s.Version }

// SpecsMetric has the measurements in metric units.
type SpecsMetric struct {
	_                struct{} `nullable:"true"`
	LengthM          *float64 `json:"length_m"`
	BeamM            *float64 `json:"beam_m"`
	DraftMaxM        *float64 `json:"draft_max_m"`
	DraftDriveUpM    *float64 `json:"draft_drive_up_m"`
	BridgeClearanceM *float64 `json:"bridge_clearance_m"`
	FreeboardM       *float64 `json:"freeboard_m"`
	CabinHeadroomM   *float64 `json:"cabin_headroom_m"`
	DryWeightKg      *float64 `json:"dry_weight_kg"`
	DisplacementKg   *float64 `json:"displacement_kg"`
	BallastKg        *float64 `json:"ballast_kg"`
	MaxLoadKg        *float64 `json:"max_load_kg"`
	FuelL            *float64 `json:"fuel_l"`
	WaterL           *float64 `json:"water_l"`
	HoldingL         *float64 `json:"holding_l"`
	TotalPowerKW     *float64 `json:"total_power_kw"`
	MaxPowerKW       *float64 `json:"max_power_kw"`
	CruiseSpeedKmh   *float64 `json:"cruise_speed_kmh"`
	MaxSpeedKmh      *float64 `json:"max_speed_kmh"`
	RangeKm          *float64 `json:"range_km"`
}

const (
	metersPerFoot = 0.3048
	kgPerPound    = 0.45359237
	litersPerGal  = 3.785411784
	kwPerHP       = 0.745699872
	kmPerNautical = 1.852
)

// specRow is a sheet as it is stored.
type specRow struct {
	Env       auth.Env  `db:"env"`
	ID        string    `db:"id"`
	Specs     SpecSheet `db:"specs,json"`
	Version   int64     `db:"version"`
	UpdatedAt time.Time `db:"updated_at"`
}

// view returns the row as clients see it. A hull without a row has a sheet of nulls.
func (r specRow) view(h Hull, metric bool) HullSpecs {
	s := HullSpecs{HullID: h.ID, SpecSheet: r.Specs, Version: r.Version}
	if r.Version > 0 {
		s.UpdatedAt = &r.UpdatedAt
	}
	s.derive()
	if metric {
		s.Metric = s.metric(h.LengthFt)
	}
	return s
}

func (s *HullSpecs) derive() {
	if s.Engines == nil {
		return
	}
	s.EngineCount = new(int64(len(*s.Engines)))
	total := 0.0
	for _, e := range *s.Engines {
		if e.HP == nil {
			return
		}
		total += *e.HP
	}
	s.TotalPowerHP = new(round(total))
}

func (s HullSpecs) metric(lengthFt float64) *SpecsMetric {
	draft, tanks := SpecDraft{}, SpecTanks{}
	if s.DraftFt != nil {
		draft = *s.DraftFt
	}
	if s.Tanks != nil {
		tanks = *s.Tanks
	}
	return &SpecsMetric{
		LengthM: times(&lengthFt, metersPerFoot), BeamM: times(s.BeamFt, metersPerFoot),
		DraftMaxM: times(draft.Max, metersPerFoot), DraftDriveUpM: times(draft.DriveUp, metersPerFoot),
		BridgeClearanceM: times(s.BridgeClearanceFt, metersPerFoot), FreeboardM: times(s.FreeboardFt, metersPerFoot),
		CabinHeadroomM: times(s.CabinHeadroomFt, metersPerFoot), DryWeightKg: times(s.DryWeightLb, kgPerPound),
		DisplacementKg: times(s.DisplacementLb, kgPerPound), BallastKg: times(s.BallastLb, kgPerPound), MaxLoadKg: times(s.MaxLoadLb, kgPerPound),
		FuelL: times(tanks.FuelGal, litersPerGal), WaterL: times(tanks.WaterGal, litersPerGal), HoldingL: times(tanks.HoldingGal, litersPerGal),
		TotalPowerKW: times(s.TotalPowerHP, kwPerHP), MaxPowerKW: times(s.MaxPowerHP, kwPerHP),
		CruiseSpeedKmh: times(s.CruiseSpeedKn, kmPerNautical), MaxSpeedKmh: times(s.MaxSpeedKn, kmPerNautical),
		RangeKm: times(s.RangeNm, kmPerNautical),
	}
}

func times(v *float64, factor float64) *float64 {
	if v == nil {
		return nil
	}
	return new(round(*v * factor))
}

// round rounds to two decimals.
func round(v float64) float64 { return math.Round(v*100) / 100 }

// check rounds all measurements and validates what the schema can't.
func (s *SpecSheet) check() error {
	roundAll(reflect.ValueOf(s).Elem())
	var bad fault.Fields
	if s.DraftFt != nil && s.DraftFt.Max != nil && s.DraftFt.DriveUp != nil && *s.DraftFt.DriveUp > *s.DraftFt.Max {
		bad.Add("draft_ft.drive_up", "maximum", "must be at most draft_ft.max")
	}
	if s.Highlights != nil {
		for i, h := range *s.Highlights {
			if n := len([]rune(h)); n == 0 || n > 200 {
				bad.Add(fmt.Sprintf("highlights[%d]", i), "too_long", "must have 1 to 200 characters")
			}
		}
	}
	return bad.Err()
}

// roundAll rounds the floats below v.
func roundAll(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float64:
		v.SetFloat(round(v.Float()))
	case reflect.Pointer:
		if !v.IsNil() {
			roundAll(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			roundAll(v.Index(i))
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			if f.CanSet() {
				roundAll(f)
			}
		}
	}
}
