package hulls

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// SpecSheet is the specification of a boat, in feet, pounds, gallons and
// knots. Unknown values are null.
type SpecSheet struct {
	_ struct{} `doc:"The specification sheet of a boat. Null means unknown." privacy:"plain"`

	Lengths           *SpecLengths    `json:"lengths" required:"false" doc:"Measured lengths in feet. Null if unknown."`
	BeamFt            *float64        `json:"beam_ft" required:"false" exclusiveMinimum:"0" maximum:"500" doc:"Greatest width of the boat, in feet." example:"8.5"`
	DraftFt           *SpecDraft      `json:"draft_ft" required:"false" doc:"Depth of water that the boat needs, in feet. Null if unknown."`
	BridgeClearanceFt *float64        `json:"bridge_clearance_ft" required:"false" exclusiveMinimum:"0" maximum:"500" doc:"Height above the waterline, in feet. Bridges must be higher."`
	FreeboardFt       *float64        `json:"freeboard_ft" required:"false" exclusiveMinimum:"0" maximum:"100" doc:"Height of the deck above the waterline, in feet."`
	CabinHeadroomFt   *float64        `json:"cabin_headroom_ft" required:"false" exclusiveMinimum:"0" maximum:"50" doc:"Standing height in the cabin, in feet."`
	DeadriseDeg       *float64        `json:"deadrise_deg" required:"false" minimum:"0" maximum:"90" doc:"Angle of the bottom at the transom, in degrees." example:"20"`
	DryWeightLb       *float64        `json:"dry_weight_lb" required:"false" exclusiveMinimum:"0" maximum:"100000000" doc:"Weight without fuel, water and gear, in pounds." example:"4200"`
	DisplacementLb    *float64        `json:"displacement_lb" required:"false" exclusiveMinimum:"0" maximum:"100000000" doc:"Weight of the water that the boat displaces, in pounds."`
	BallastLb         *float64        `json:"ballast_lb" required:"false" minimum:"0" maximum:"100000000" doc:"Weight of the ballast, in pounds."`
	HullMaterial      *HullMaterial   `json:"hull_material" required:"false" doc:"Main material of the hull."`
	HullShape         *HullShape      `json:"hull_shape" required:"false" doc:"Shape of the bottom."`
	HullColor         *string         `json:"hull_color" required:"false" maxLength:"50" doc:"Color of the hull, in your own words."`
	Keel              *KeelType       `json:"keel" required:"false" doc:"Type of keel. Mostly for sailboats."`
	DesignCategory    *DesignCategory `json:"design_category" required:"false" doc:"Conditions that the boat is designed for, from ocean to sheltered waters."`
	Propulsion        *Propulsion     `json:"propulsion" required:"false" doc:"What moves the boat."`
	YearBuilt         *int64          `json:"year_built" required:"false" minimum:"1800" maximum:"9999" doc:"Calendar year in which the boat was built. It can differ from the model year."`
	Engines           *[]SpecEngine   `json:"engines" required:"false" nullable:"true" maxItems:"12" doc:"Engines of the boat. An empty array means no engines. Null means unknown."`
	MaxPowerHP        *float64        `json:"max_power_hp" required:"false" minimum:"0" maximum:"100000" doc:"Maximum engine power that the boat is rated for, in horsepower."`
	Tanks             *SpecTanks      `json:"tanks" required:"false" doc:"Tank capacities in US gallons. Null if unknown."`
	MaxPersons        *int64          `json:"max_persons" required:"false" minimum:"0" maximum:"10000" doc:"Maximum number of persons on board."`
	MaxLoadLb         *float64        `json:"max_load_lb" required:"false" minimum:"0" maximum:"100000000" doc:"Maximum load of persons, gear and motor, in pounds."`
	Cabins            *int64          `json:"cabins" required:"false" minimum:"0" maximum:"1000" doc:"Number of cabins."`
	Berths            *SpecBerths     `json:"berths" required:"false" doc:"Sleeping places. Null if unknown."`
	Heads             *int64          `json:"heads" required:"false" minimum:"0" maximum:"1000" doc:"Number of toilets."`
	CruiseSpeedKn     *float64        `json:"cruise_speed_kn" required:"false" minimum:"0" maximum:"300" doc:"Usual speed, in knots."`
	MaxSpeedKn        *float64        `json:"max_speed_kn" required:"false" minimum:"0" maximum:"300" doc:"Top speed, in knots."`
	RangeNm           *float64        `json:"range_nm" required:"false" minimum:"0" maximum:"100000" doc:"Range with full tanks, in nautical miles."`
	Trailer           *SpecTrailer    `json:"trailer" required:"false" doc:"Trailer that the boat is sold with. Null if unknown."`
	Warranty          *SpecWarranty   `json:"warranty" required:"false" doc:"Remaining warranty of the manufacturer. Null if unknown."`
	Highlights        *[]string       `json:"highlights" required:"false" nullable:"true" maxItems:"50" doc:"Selling points, one line each."`
}

// SpecLengths are the measured lengths of a boat.
type SpecLengths struct {
	_         struct{} `doc:"Measured lengths of a boat, in feet." nullable:"true"`
	LOAFt     *float64 `json:"loa_ft" required:"false" exclusiveMinimum:"0" maximum:"1000" doc:"Length overall, in feet."`
	LWLFt     *float64 `json:"lwl_ft" required:"false" exclusiveMinimum:"0" maximum:"1000" doc:"Length at the waterline, in feet."`
	DeckFt    *float64 `json:"deck_ft" required:"false" exclusiveMinimum:"0" maximum:"1000" doc:"Length of the deck, in feet."`
	NominalFt *float64 `json:"nominal_ft" required:"false" exclusiveMinimum:"0" maximum:"1000" doc:"Length that the model is named after, in feet."`
}

// SpecDraft is the draft of a boat.
type SpecDraft struct {
	_       struct{} `doc:"Depth of water that a boat needs." nullable:"true"`
	Max     *float64 `json:"max" required:"false" exclusiveMinimum:"0" maximum:"200" doc:"Draft with the drive or keel down, in feet."`
	DriveUp *float64 `json:"drive_up" required:"false" exclusiveMinimum:"0" maximum:"200" doc:"Draft with the drive or keel up, in feet. At most the value of max."`
}

// SpecEngine is one engine.
type SpecEngine struct {
	_ struct{} `doc:"One engine of a boat." privacy:"plain"`

	Position  *EnginePosition `json:"position" required:"false" doc:"Where the engine is mounted."`
	Make      *string         `json:"make" required:"false" maxLength:"100" doc:"Manufacturer of the engine." example:"Yamaha"`
	Model     *string         `json:"model" required:"false" maxLength:"100" doc:"Model name of the engine." example:"F300"`
	Year      *int64          `json:"year" required:"false" minimum:"1850" maximum:"9999" doc:"Model year of the engine."`
	Serial    *string         `json:"serial" required:"false" maxLength:"100" doc:"Serial number of the engine."`
	HP        *float64        `json:"hp" required:"false" minimum:"0" maximum:"100000" doc:"Rated power in horsepower. Null if unknown." example:"300"`
	Hours     *float64        `json:"hours" required:"false" minimum:"0" maximum:"1000000" doc:"Hours that the engine has run. Null if unknown."`
	Fuel      *EngineFuel     `json:"fuel" required:"false" doc:"What the engine runs on."`
	Type      *EngineType     `json:"type" required:"false" doc:"Type of engine. outboard_2s and outboard_4s are two-stroke and four-stroke outboards."`
	Drive     *EngineDrive    `json:"drive" required:"false" doc:"How the power reaches the water."`
	Propeller *string         `json:"propeller" required:"false" maxLength:"100" doc:"Propeller, in your own words."`
}

// SpecTanks are capacities.
type SpecTanks struct {
	_          struct{} `doc:"Tank capacities, in US gallons." nullable:"true"`
	FuelGal    *float64 `json:"fuel_gal" required:"false" minimum:"0" maximum:"10000000" doc:"Fuel capacity in US gallons."`
	WaterGal   *float64 `json:"water_gal" required:"false" minimum:"0" maximum:"10000000" doc:"Fresh water capacity in US gallons."`
	HoldingGal *float64 `json:"holding_gal" required:"false" minimum:"0" maximum:"10000000" doc:"Waste water capacity in US gallons."`
}

// SpecBerths counts beds.
type SpecBerths struct {
	_      struct{} `doc:"Number of beds by type." nullable:"true"`
	Single *int64   `json:"single" required:"false" minimum:"0" maximum:"1000" doc:"Number of single beds."`
	Double *int64   `json:"double" required:"false" minimum:"0" maximum:"1000" doc:"Number of double beds."`
	Twin   *int64   `json:"twin" required:"false" minimum:"0" maximum:"1000" doc:"Number of twin beds."`
	Total  *int64   `json:"total" required:"false" minimum:"0" maximum:"1000" doc:"Number of people who can sleep on board."`
}

// SpecTrailer is the trailer a boat is sold with.
type SpecTrailer struct {
	_          struct{} `doc:"Trailer that a boat is sold with." nullable:"true" privacy:"plain"`
	Included   *bool    `json:"included" required:"false" doc:"Whether the price includes the trailer. Null if unknown."`
	Make       *string  `json:"make" required:"false" maxLength:"100" doc:"Manufacturer of the trailer."`
	Model      *string  `json:"model" required:"false" maxLength:"100" doc:"Model name of the trailer."`
	Year       *int64   `json:"year" required:"false" minimum:"1900" maximum:"9999" doc:"Model year of the trailer."`
	VIN        *string  `json:"vin" required:"false" maxLength:"30" doc:"Vehicle identification number of the trailer."`
	Axles      *int64   `json:"axles" required:"false" minimum:"1" maximum:"10" doc:"Number of axles."`
	CapacityLb *float64 `json:"capacity_lb" required:"false" minimum:"0" maximum:"1000000" doc:"Maximum load of the trailer, in pounds."`
}

// SpecWarranty is the remaining manufacturer's warranty.
type SpecWarranty struct {
	_            struct{}   `doc:"Remaining warranty of the manufacturer." nullable:"true"`
	ExpiresAt    *time.Time `json:"expires_at" required:"false" doc:"When the warranty expires. Null if unknown."`
	Transferable *bool      `json:"transferable" required:"false" doc:"Whether the warranty passes to the next owner. Null if unknown."`
}

// HullSpecs is a hull's specification sheet with derived values.
type HullSpecs struct {
	_ struct{} `doc:"The specification sheet of a hull, with calculated values. Unknown values are null." privacy:"plain"`

	ID     string `json:"id" example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f" doc:"ID of the hull. A hull has one sheet." since:"next"`
	HullID string `json:"hull_id" doc:"Hull that the sheet belongs to."`
	SpecSheet
	TotalPowerHP *float64     `json:"total_power_hp" doc:"Total power of all engines in horsepower. Null if the power of an engine is unknown."`
	EngineCount  *int64       `json:"engine_count" doc:"Number of engines. Null if unknown."`
	Metric       *SpecsMetric `json:"metric" doc:"Measurements in metric units. Null unless you send units=metric."`
	Version      int64        `json:"version" doc:"Number of the current version. 0 if there is no sheet yet."`
	UpdatedAt    *time.Time   `json:"updated_at" doc:"When the sheet was last replaced. Null if there is no sheet yet."`
}

// UnitSystem is the system of the measurements.
type UnitSystem string

// Values that the code uses.
const (
	Metric UnitSystem = "metric"
)

var allUnitSystems = enum.Of("UnitSystem", "System of the measurements.", "imperial", Metric)

func (UnitSystem) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allUnitSystems.Describe(s)
}

// Revision returns the version.
func (s HullSpecs) Revision() int64 { return s.Version }

// SpecsMetric has the measurements in metric units.
type SpecsMetric struct {
	_                struct{} `doc:"The measurements of a boat in metric units." nullable:"true"`
	LengthM          *float64 `json:"length_m" doc:"Length overall of the hull, in meters."`
	BeamM            *float64 `json:"beam_m" doc:"Beam in meters. Null if unknown."`
	DraftMaxM        *float64 `json:"draft_max_m" doc:"Draft with the drive or keel down, in meters. Null if unknown."`
	DraftDriveUpM    *float64 `json:"draft_drive_up_m" doc:"Draft with the drive or keel up, in meters. Null if unknown."`
	BridgeClearanceM *float64 `json:"bridge_clearance_m" doc:"Bridge clearance in meters. Null if unknown."`
	FreeboardM       *float64 `json:"freeboard_m" doc:"Freeboard in meters. Null if unknown."`
	CabinHeadroomM   *float64 `json:"cabin_headroom_m" doc:"Cabin headroom in meters. Null if unknown."`
	DryWeightKg      *float64 `json:"dry_weight_kg" doc:"Dry weight in kilograms. Null if unknown."`
	DisplacementKg   *float64 `json:"displacement_kg" doc:"Displacement in kilograms. Null if unknown."`
	BallastKg        *float64 `json:"ballast_kg" doc:"Ballast in kilograms. Null if unknown."`
	MaxLoadKg        *float64 `json:"max_load_kg" doc:"Maximum load in kilograms. Null if unknown."`
	FuelL            *float64 `json:"fuel_l" doc:"Fuel capacity in liters. Null if unknown."`
	WaterL           *float64 `json:"water_l" doc:"Fresh water capacity in liters. Null if unknown."`
	HoldingL         *float64 `json:"holding_l" doc:"Waste water capacity in liters. Null if unknown."`
	TotalPowerKW     *float64 `json:"total_power_kw" doc:"Total power of all engines in kilowatts. Null if unknown."`
	MaxPowerKW       *float64 `json:"max_power_kw" doc:"Maximum engine power in kilowatts. Null if unknown."`
	CruiseSpeedKmh   *float64 `json:"cruise_speed_kmh" doc:"Cruising speed in kilometers per hour. Null if unknown."`
	MaxSpeedKmh      *float64 `json:"max_speed_kmh" doc:"Top speed in kilometers per hour. Null if unknown."`
	RangeKm          *float64 `json:"range_km" doc:"Range in kilometers. Null if unknown."`
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
	s := HullSpecs{ID: h.ID, HullID: h.ID, SpecSheet: r.Specs, Version: r.Version}
	if r.Version > 0 {
		s.UpdatedAt = &r.UpdatedAt
	}
	s.derive()
	if metric {
		s.Metric = s.metric(h.LengthFt)
	}
	return s
}

// EngineHours returns the hours of all engines, or nothing if one of them is unknown.
func (s SpecSheet) EngineHours() (hours []float64) {
	if s.Engines == nil {
		return nil
	}
	for _, e := range *s.Engines {
		if e.Hours == nil {
			return nil
		}
		hours = append(hours, *e.Hours)
	}
	return hours
}

// shown returns the sheet without the numbers that listings don't show.
func (s SpecSheet) shown() SpecSheet {
	if s.Engines != nil {
		engines := slices.Clone(*s.Engines)
		for i := range engines {
			engines[i].Serial = nil
		}
		s.Engines = &engines
	}
	if s.Trailer != nil {
		trailer := *s.Trailer
		trailer.VIN = nil
		s.Trailer = &trailer
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
