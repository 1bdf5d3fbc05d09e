// Package hin reads hull identification numbers: the twelve characters that
// name a boat, as the United States, Canada and the European Union write them.
package hin

import (
	"fmt"
	"time"
)

// The three ways a number has been written; their ninth characters never overlap.
const (
	FormatCurrent          = "current"            // since August 1984, 1981 in Canada
	FormatModelYear1972    = "model_year_1972"    // until July 1984, "M" before the model year
	FormatStraightYear1972 = "straight_year_1972" // until July 1984, month and year in digits
)

// DecodedHin is what a hull identification number says; if it is not valid, only the errors speak.
type DecodedHin struct {
	Valid            bool        `json:"valid" doc:"Whether the number is well formed. Warnings do not make it invalid." example:"true"`
	Normalized       *string     `json:"normalized" doc:"The twelve characters in upper case, without country code or hyphens." example:"GRT40912B324"`
	Country          *string     `json:"country" doc:"Country code written before the number, if there was one." example:"US"`
	Format           *string     `json:"format" enum:"current,model_year_1972,straight_year_1972" doc:"Which of the three formats the number follows; the last two ended in July 1984." example:"current"`
	ManufacturerCode *string     `json:"manufacturer_code" doc:"Code of the manufacturer or importer, or of the state that issued the number (two letters and Z)." example:"GRT"`
	Serial           *string     `json:"serial" doc:"The manufacturer's serial number for the hull." example:"40912"`
	Month            *int        `json:"month" minimum:"1" maximum:"12" doc:"Month of certification or manufacture; of issue if a state issued the number." example:"2"`
	YearBuilt        *int        `json:"year_built" doc:"Year of certification or manufacture; of issue if a state issued the number." example:"2023"`
	ModelYear        *int        `json:"model_year" doc:"Model year; null in the straight-year format, which does not carry one." example:"2024"`
	Warnings         []NoteOnHin `json:"warnings" nullable:"false" doc:"What looks odd about a valid number."`
	Errors           []NoteOnHin `json:"errors" nullable:"false" doc:"What to fix in an invalid number."`
}

// NoteOnHin is one remark about a number.
type NoteOnHin struct {
	Code    string `json:"code" doc:"Stable word for programs." example:"outside_window"`
	Message string `json:"message" doc:"One sentence for people." example:"Built in February 2023, but model year 2024 runs from June 2023 to July 2024."`
}

// Decode reads a number as people write it; today settles the century and what lies in the future.
func Decode(input string, today time.Time) DecodedHin {
	country, number, errs := split(input)
	if len(errs) > 0 {
		return DecodedHin{Warnings: []NoteOnHin{}, Errors: errs}
	}
	date, errs := readDate(number[8:], today.Year())
	errs = append(checkSerial(number[3:8]), errs...)
	if len(errs) > 0 {
		return DecodedHin{Warnings: []NoteOnHin{}, Errors: errs}
	}

	d := DecodedHin{
		Valid:            true,
		Normalized:       &number,
		Format:           &date.format,
		ManufacturerCode: new(number[:3]),
		Serial:           new(number[3:8]),
		Month:            new(int(date.month)),
		YearBuilt:        &date.year,
		Warnings:         []NoteOnHin{},
		Errors:           []NoteOnHin{},
	}
	if country != "" {
		d.Country = &country
	}
	if date.modelYear != 0 {
		d.ModelYear = &date.modelYear
	}
	d.Warnings = append(d.Warnings, date.doubts(today)...)
	if american(country) && !issuedByState(number) {
		d.Warnings = append(d.Warnings, date.windowDoubts()...)
	}
	return d
}

// YearWarning reports that the model year stated for a boat is not the one in its number.
func YearWarning(d DecodedHin, modelYear int) (NoteOnHin, bool) {
	if d.ModelYear == nil || *d.ModelYear == modelYear || issuedByState(*d.Normalized) {
		return NoteOnHin{}, false
	}
	return note("year_mismatch", "The boat is stated as model year %d, but its HIN says %d.", modelYear, *d.ModelYear), true
}

// american reports whether United States law names the model year: Canada and
// Europe use the same characters but set no dates for it.
func american(country string) bool { return country == "" || country == "US" }

func note(code, format string, args ...any) NoteOnHin {
	return NoteOnHin{Code: code, Message: fmt.Sprintf(format, args...)}
}
