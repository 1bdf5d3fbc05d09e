// Package hin decodes hull identification numbers: the twelve characters that
// identify a boat in the United States, Canada and the European Union.
package hin

import (
	"fmt"
	"time"

	"slipway/internal/vocab/enum"
)

// Format is the format of a HIN.
type Format string

// The three formats. The ninth character of a number identifies its format.
const (
	FormatCurrent          Format = "current"            // since August 1984, 1981 in Canada
	FormatModelYear1972    Format = "model_year_1972"    // until July 1984, "M" before the model year
	FormatStraightYear1972 Format = "straight_year_1972" // until July 1984, month and year in digits
)

var allFormats = enum.Of("HinFormat", "Format of a hull identification number: the one since 1984, or one of the two since 1972.",
	FormatCurrent, FormatModelYear1972, FormatStraightYear1972)

func (Format) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allFormats.Describe(s)
}

// DecodedHin is a decoded hull identification number. If it is invalid, only
// Errors is set.
type DecodedHin struct {
	_ struct{} `doc:"The parts of a hull identification number, and what is wrong with it."`

	Valid            bool        `json:"valid" doc:"Whether the number is well formed. Warnings do not make it invalid." example:"true"`
	Normalized       *string     `json:"normalized" doc:"The twelve characters in upper case, without country code or hyphens." example:"GRT40912B324"`
	Country          *string     `json:"country" doc:"Country code before the number. Null if there is none." example:"US"`
	Format           *Format     `json:"format" doc:"Format of the number. The last two were used until July 1984." example:"current"`
	ManufacturerCode *string     `json:"manufacturer_code" doc:"Code of the manufacturer or importer, or of the state that issued the number (two letters and Z)." example:"GRT"`
	Serial           *string     `json:"serial" doc:"The manufacturer's serial number for the hull." example:"40912"`
	Month            *int        `json:"month" minimum:"1" maximum:"12" doc:"Month of certification or manufacture, or month of issue if a state issued the number." example:"2"`
	YearBuilt        *int        `json:"year_built" doc:"Year of certification or manufacture, or year of issue if a state issued the number." example:"2023"`
	ModelYear        *int        `json:"model_year" doc:"Model year. Null in the straight-year format, which has none." example:"2024"`
	Warnings         []NoteOnHin `json:"warnings" nullable:"false" doc:"Possible problems with a valid number."`
	Errors           []NoteOnHin `json:"errors" nullable:"false" doc:"Errors to fix in an invalid number."`
}

// NoteOnHin is a warning or an error.
type NoteOnHin struct {
	_ struct{} `doc:"A problem with a hull identification number, or something unusual about it." privacy:"plain"`

	Code    string `json:"code" doc:"Stable code for programs." example:"outside_window"`
	Message string `json:"message" doc:"Message for people." example:"Built in February 2023, but model year 2024 runs from June 2023 to July 2024."`
}

// Decode decodes a number in any common spelling. It uses today to find the
// century and to detect dates in the future.
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
	d.Warnings = append(d.Warnings, date.warnings(today)...)
	if american(country) && !issuedByState(number) {
		d.Warnings = append(d.Warnings, date.windowWarnings()...)
	}
	return d
}

// YearWarning returns a warning if the model year of a boat differs from the one
// in its number.
func YearWarning(d DecodedHin, modelYear int) (NoteOnHin, bool) {
	if d.ModelYear == nil || *d.ModelYear == modelYear || issuedByState(*d.Normalized) {
		return NoteOnHin{}, false
	}
	return note("year_mismatch", "The boat has model year %d, but its HIN has model year %d.", modelYear, *d.ModelYear), true
}

// american reports whether United States law defines the dates of the model year.
// Canada and Europe use the same format without such dates.
func american(country string) bool { return country == "" || country == "US" }

func note(code, format string, args ...any) NoteOnHin {
	return NoteOnHin{Code: code, Message: fmt.Sprintf(format, args...)}
}
