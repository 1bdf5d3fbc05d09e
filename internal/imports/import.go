// Package imports reads files of hulls and contacts.
package imports

import (
	"encoding/json"
	"strings"
	"time"

	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
	"slipway/internal/vocab/null"
	"slipway/internal/vocab/wire"
)

const (
	maxImportBytes = 256 << 20
	maxLines       = 1000 // errors, notes and skipped rows that an import shows; listHullImportErrors has all errors
	// maxMissingPercent is the share of hulls that can be missing from a file without force.
	maxMissingPercent = 30
)

// The rows of one transaction. Its size is chosen so that it takes about as long as
// this. On SQLite, other writers wait while it runs.
const (
	firstBatch, minBatch = 20, 5
	takesOnSQLite        = 25 * time.Millisecond
	takesOnPostgres      = 100 * time.Millisecond
)

// nextBatch returns the size of the next batch after one that took this long. It at most
// doubles, because a batch of rows that change nothing is fast.
func nextBatch(size int, took, wanted time.Duration) int {
	fitting := int(int64(size) * int64(wanted) / max(int64(took), 1))
	return min(max(fitting, minBatch), 2*size, importBatch)
}

// State is the progress of an import.
type State string

// The states of an import.
const (
	importQueued    State = "queued"
	importRunning   State = "running"
	importCompleted State = "completed"
	importFailed    State = "failed"
)

var allStates = enum.Of("HullImportState", "Progress of an import.", importQueued, importRunning, importCompleted, importFailed)

func (State) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allStates.Describe(s)
}

// The stages of an import that is running.
const (
	stageRows    = "rows"
	stageMissing = "missing" // the rows are saved, and the inventory is compared with the file
)

// Missing is what happens to hulls that are not in the file.
type Missing string

// What happens to hulls that are not in the file.
const (
	missingIgnore  Missing = "ignore"
	missingReport  Missing = "report"
	missingArchive Missing = "archive"
)

var allMissings = enum.Of("HullImportMissing", "What an import does with hulls that are not in the file.",
	missingIgnore, missingReport, missingArchive)

func (Missing) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allMissings.Describe(s)
}

// HullImport is an import of a file of hulls.
type HullImport struct {
	_ struct{} `doc:"The import of a file of hulls, with its progress and errors." columns:"id state rows created updated unchanged failed skipped / problem created_at finished_at" privacy:"plain"`

	Env               auth.Env          `json:"-" db:"env"`
	ID                string            `json:"id" db:"id" doc:"Identifies the import. Starts with imp_." example:"imp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	State             State             `json:"state" db:"state" doc:"State of the import. An import that is completed can have rejected rows, see failed. An import without a single valid row has failed."`
	Format            Format            `json:"format" db:"format" doc:"Format of the file."`
	Mode              Mode              `json:"mode" db:"mode" doc:"partial imports the valid rows. atomic imports all rows or none."`
	DryRun            bool              `json:"dry_run" db:"dry_run" doc:"Whether nothing is saved. The counts and errors show what would happen."`
	Reacquire         bool              `json:"reacquire" db:"reacquire" doc:"Whether rows can add a boat that was delivered or archived before. Otherwise they are skipped." since:"next"`
	LocationID        *string           `json:"location_id" db:"location_id" doc:"Default location for rows without one."`
	Columns           map[string]string `json:"columns" db:"columns,json" doc:"Columns of a CSV file that are read, with their fields."`
	IgnoredColumns    []string          `json:"ignored_columns" db:"ignored_columns,json" nullable:"false" doc:"Columns that don't match a field. At most 100."`
	Map               map[string]string `json:"map" db:"map,json" doc:"Fields that you assigned to columns." since:"next"`
	Words             sheet.Words       `json:"words" db:"words,json" doc:"What words of a field mean, by field and word." since:"next"`
	Review            bool              `json:"review" db:"review" doc:"Whether a person checks the columns and repairs rows before the import starts." since:"next"`
	KeptUntil         *time.Time        `json:"kept_until" db:"kept_until" doc:"Until when the file of a check is kept, so that it can be repaired and started. Null if it isn't." since:"next"`
	Encoding          sheet.Encoding    `json:"encoding" db:"encoding" doc:"Encoding of the file." since:"next"`
	Missing           Missing           `json:"missing" db:"missing" doc:"What happens to hulls that are not in the file: nothing, they are listed in missing_hulls, or they are also archived." since:"next"`
	Force             bool              `json:"force" db:"forced" doc:"Whether the import runs even if more than 30 % of the hulls are missing from the file." since:"next"`
	Bytes             int64             `json:"bytes" db:"bytes" doc:"Size of the file in bytes, as UTF-8."`
	BytesDone         int64             `json:"bytes_done" db:"bytes_done" doc:"Bytes of the file that are done."`
	ProgressPercent   int64             `json:"progress_percent" doc:"How much of the file is done, from 0 to 100." audit:"-" since:"next" example:"40"`
	EstimatedFinishAt *time.Time        `json:"estimated_finish_at" doc:"When the import will probably end. Null unless it is running." audit:"-" since:"next"`
	Rows              int64             `json:"rows" db:"row_count" doc:"Rows in the file, without the header. Equals created + updated + unchanged + skipped + failed when the import is completed." example:"2000"`
	Created           int64             `json:"created" db:"created" doc:"Hulls that were created."`
	Updated           int64             `json:"updated" db:"updated" doc:"Rows that changed the hull with their stock number."`
	Unchanged         int64             `json:"unchanged" db:"unchanged" doc:"Rows whose hull already was the same." since:"next"`
	Skipped           int64             `json:"skipped" db:"skipped" doc:"Rows whose HIN or stock number belongs to a delivered or archived hull. They change nothing." since:"next"`
	Failed            int64             `json:"failed" db:"failed" doc:"Rows that were rejected."`
	Noted             int64             `json:"noted" db:"noted" doc:"Rows that were imported with a note, such as an ambiguous date." since:"next"`
	MissingCount      int64             `json:"missing_count" db:"missing_count" doc:"Hulls that are not in the file. 0 if missing is ignore." since:"next"`
	Archived          int64             `json:"archived" db:"archived" doc:"Missing hulls that were archived." since:"next"`
	Problem           *string           `json:"problem" db:"problem" doc:"Why the import failed. Null unless it failed."`
	Errors            []HullImportError `json:"errors" nullable:"false" doc:"Errors of the rejected rows. At most 1,000. The preview has all of them as CSV." audit:"-"`
	SkippedRows       []HullImportSkip  `json:"skipped_rows" nullable:"false" doc:"Rows that were skipped, with the hull that has their number. At most 1,000." audit:"-" since:"next"`
	Notes             []HullImportNote  `json:"notes" nullable:"false" doc:"Notes on rows that were imported. At most 1,000." audit:"-" since:"next"`
	MissingHulls      []HullImportHull  `json:"missing_hulls" nullable:"false" doc:"Hulls that are not in the file. At most 1,000." audit:"-" since:"next"`
	Photos            HullImportPhotos  `json:"photos" doc:"Photos whose URLs are in the file. They are downloaded after the rows are imported." audit:"-" since:"next"`
	StartedAt         *time.Time        `json:"started_at" db:"started_at" doc:"When the first row was read. Null while the import is queued."`
	FinishedAt        *time.Time        `json:"finished_at" db:"finished_at" doc:"When the import ended. Null until then."`
	Version           int64             `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt         time.Time         `json:"created_at" db:"created_at" doc:"When the file was uploaded."`
	UpdatedAt         time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	Actor      auth.Actor `json:"-" db:"actor,json"`
	RequestID  *string    `json:"-" db:"request_id"`
	Blob       string     `json:"-" db:"blob"`
	BeatAt     time.Time  `json:"-" db:"beat_at"`
	Header     []string   `json:"-" db:"header,json"` // all columns
	DayFirst   bool       `json:"-" db:"day_first"`   // in dates that can be read in two ways
	Stage      string     `json:"-" db:"stage"`       // while it is running
	ComparedTo string     `json:"-" db:"compared_to"` // the last hull that was compared with the file
	PhotoCount int64      `json:"-" db:"photo_count"` // photos that were queued

	Subject        sheet.Subject   `json:"-" db:"subject"`
	Duplicates     DuplicateAction `json:"-" db:"duplicates"` // and what follows, only of contacts
	DuplicateCount int64           `json:"-" db:"duplicate_count"`
	ConsentCount   int64           `json:"-" db:"consent_count"`
	UnprovenCount  int64           `json:"-" db:"unproven_count"`
	OptOutCount    int64           `json:"-" db:"opt_out_count"`
	HistoryCount   int64           `json:"-" db:"history_count"`
}

// Mode is whether an import saves a part of the rows.
type Mode string

// The values.
const (
	partial Mode = "partial"
	atomic  Mode = "atomic"
)

var allModes = enum.Of("HullImportMode", "Whether an import saves the valid rows (partial), or all rows or none (atomic).",
	partial, atomic)

func (Mode) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allModes.Describe(s)
}

// Format is the format of a file.
type Format string

// The values.
const (
	csvFormat    Format = "csv"
	ndjsonFormat Format = "ndjson"
)

var allFormats = enum.Of("HullImportFormat", "Format of an imported file.", csvFormat, ndjsonFormat)

func (Format) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allFormats.Describe(s)
}

// Revision returns the version.
func (i HullImport) Revision() int64 { return i.Version }

// options returns how the file is read.
func (i HullImport) options() sheet.Options {
	return sheet.Options{Subject: i.Subject, NDJSON: i.Format == ndjsonFormat, Encoding: i.Encoding, Map: i.Map, Words: i.Words, DayFirst: i.DayFirst, Review: i.Review}
}

// deriveProgress fills in the progress and the estimate. Time passes as quickly for the
// rest of the file as it did so far.
func (i *HullImport) deriveProgress(now time.Time) {
	switch {
	case i.State == importCompleted:
		i.ProgressPercent = 100
		return
	case i.State == importQueued || i.Bytes == 0:
		return
	}
	i.ProgressPercent = min(99, 100*i.BytesDone/i.Bytes)
	if i.State == importRunning && i.StartedAt != nil && i.BytesDone > 0 {
		elapsed := now.Sub(*i.StartedAt)
		rest := time.Duration(float64(elapsed) * float64(i.Bytes-i.BytesDone) / float64(i.BytesDone))
		i.EstimatedFinishAt = new(now.Add(rest).Truncate(time.Second))
	}
}

// HullImportError is an error of a row.
type HullImportError struct {
	_ struct{} `doc:"An error in one row of an imported file."`

	Row     int64  `json:"row" db:"row_no" doc:"Row number, as in a spreadsheet. The header of a CSV file is row 1." example:"17"`
	Field   string `json:"field" db:"field" doc:"Field that is invalid." example:"price_usd"`
	Code    string `json:"code" db:"code" doc:"Code of the error, as in the details of an API error." example:"minimum"`
	Message string `json:"message" db:"message" doc:"What is wrong with the field. Completes a sentence that starts with its name." example:"must be at least 0"`
}

// HullImportSkip is a row that was skipped.
type HullImportSkip struct {
	_ struct{} `doc:"A row of an imported file that changed nothing."`

	Row     int64     `json:"row" db:"row_no" doc:"Row number, as in a spreadsheet. The header of a CSV file is row 1." example:"17"`
	Field   SkipField `json:"field" db:"field" doc:"Which number of the row already belongs to a hull." example:"stock_number"`
	HullID  string    `json:"hull_id" db:"hull_id" doc:"Hull that has this HIN or stock number." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Message string    `json:"message" db:"message" doc:"Which hull has the number, and its status." example:"is already used by hull_01jcqz8t5n8m2x4v6b7c9d0e1f, which is delivered"`
}

// SkipField is the number of a row that already belongs to a hull.
type SkipField string

// The values.
const (
	sameHIN         SkipField = "hin"
	sameStockNumber SkipField = "stock_number"
)

var allSkipFields = enum.Of("HullImportSkipField", "Number of a row that already belongs to a hull.", sameHIN, sameStockNumber)

func (SkipField) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return allSkipFields.Describe(s)
}

// HullImportNote is a note on a row that was imported.
type HullImportNote struct {
	_ struct{} `doc:"A note on a row of an imported file that was imported."`

	Row     int64  `json:"row" db:"row_no" doc:"Row number, as in a spreadsheet. 0 for a note on the whole file." example:"17"`
	Field   string `json:"field" db:"field" doc:"Field that the note is about." example:"received_on"`
	Code    string `json:"code" db:"code" doc:"Kind of note: ambiguous, rounded, unknown, photo or not_archived." example:"ambiguous"`
	Message string `json:"message" db:"message" doc:"How the value was read, or why it was ignored." example:"\"3/4/24\" was read as 2024-03-04, with the month first"`
}

// HullImportHull is a hull that is not in the file.
type HullImportHull struct {
	_ struct{} `doc:"A hull that is not in an imported file."`

	HullID      string  `json:"hull_id" db:"hull_id" doc:"Hull that is not in the file." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	StockNumber *string `json:"stock_number" db:"stock_number" doc:"Its stock number. Null if it has none." example:"GW-1042"`
	HIN         *string `json:"hin" db:"hin" doc:"Its hull identification number. Null if it has none." example:"GRT40912B324"`
	Archived    bool    `json:"archived" db:"archived" doc:"Whether the import archived it."`
	Message     *string `json:"message" db:"message" doc:"Why it was not archived. Null if it was, or if missing is report."`
}

// HullImportPhotos counts the photos of an import.
type HullImportPhotos struct {
	_ struct{} `doc:"Counts of the photos whose URLs are in an imported file."`

	Queued int64 `json:"queued" doc:"Photos that are not downloaded yet."`
	Added  int64 `json:"added" doc:"Photos that were added to their hulls."`
	Failed int64 `json:"failed" doc:"Photos that can't be downloaded or used. The notes have the reasons."`
}

// importForm is the options of an import.
type importForm struct {
	subject    sheet.Subject
	duplicates DuplicateAction
	mode       Mode
	missing    Missing
	dryRun     bool
	reacquire  bool
	force      bool
	review     bool
	words      sheet.Words
	charset    sheet.Encoding // "" to detect it
	names      map[string]string
	locationID *string
}

// choose returns the value of a field. It defaults to the first value of the enum.
func choose[T ~string](bad *fault.Fields, fields map[string]string, name string, e enum.Enum[T]) T {
	value := T(fields[name])
	if value == "" {
		return e.Values[0]
	}
	if !e.Has(value) {
		bad.Add(name, "enum", "must be one of %s", e)
	}
	return value
}

// parseImportForm reads the fields of a form, or the parameters of a request
// whose body is the file.
func parseImportForm(subject sheet.Subject, fields map[string]string) (f importForm, err error) {
	var bad fault.Fields
	f.subject, f.duplicates = subject, choose(&bad, fields, "duplicates", allDuplicateActions)
	f.mode = choose(&bad, fields, "mode", allModes)
	f.missing = choose(&bad, fields, "missing", allMissings)

	for _, o := range []struct {
		name  string
		value *bool
	}{{"dry_run", &f.dryRun}, {"reacquire", &f.reacquire}, {"force", &f.force}, {"review", &f.review}} {
		switch fields[o.name] {
		case "", "false":
		case "true":
			*o.value = true
		default:
			bad.Add(o.name, "type", "must be true or false")
		}
	}

	var known bool
	if f.charset, known = sheet.Charset(fields["charset"]); !known {
		bad.Add("charset", "enum", "must be one of utf-8, utf-16, utf-16le, utf-16be, windows-1252, iso-8859-1, macintosh")
	}
	f.names = parseMap(&bad, subject, fields["map"])
	f.words = parseWords(&bad, fields["words"])
	if f.review {
		f.dryRun = true
		if f.mode == atomic {
			bad.Add("mode", "exclusive", "can't be atomic with review, because you skip or repair rows")
		}
	}
	f.locationID = null.From(fields["location_id"])
	return f, bad.Err()
}

// parseMap reads the fields of columns, as Mfg:make,WebPrice:price_usd or as JSON.
func parseMap(bad *fault.Fields, subject sheet.Subject, text string) map[string]string {
	names := map[string]string{}
	if text = strings.TrimSpace(text); text == "" {
		return names
	}
	if strings.HasPrefix(text, "{") {
		if wire.Check([]byte(text)) != nil || json.Unmarshal([]byte(text), &names) != nil {
			bad.Add("map", "format", `must be a JSON object of text, such as {"Mfg": "make"}`)
			return names
		}
	} else {
		for pair := range strings.SplitSeq(text, ",") {
			colon := strings.LastIndex(pair, ":")
			if colon < 1 {
				bad.Add("map", "format", "must have pairs of a column and a field, such as Mfg:make,WebPrice:price_usd")
				return names
			}
			names[strings.TrimSpace(pair[:colon])] = strings.TrimSpace(pair[colon+1:])
		}
	}
	subject.CheckMap(bad, names)
	return names
}

// parseWords reads the meanings of words, as {"status": {"Dock": "available"}}.
func parseWords(bad *fault.Fields, text string) sheet.Words {
	words := sheet.Words{}
	if text = strings.TrimSpace(text); text == "" {
		return words
	}
	if wire.Check([]byte(text)) != nil || json.Unmarshal([]byte(text), &words) != nil {
		bad.Add("words", "format", `must be a JSON object of fields and their words, such as {"status": {"Dock": "available"}}`)
		return words
	}
	sheet.CheckWords(bad, words)
	return words
}
