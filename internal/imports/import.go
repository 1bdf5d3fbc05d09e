// Package imports reads files of hulls into the inventory.
package imports

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

const (
	maxImportBytes  = 256 << 20
	maxImportErrors = 1000 // stored; all are counted
)

// The rows of one transaction. On SQLite, other writers wait while it runs, so its size
// is chosen so that it takes about batchTakes.
const (
	firstBatch, minBatch = 20, 5
	batchTakes           = 15 * time.Millisecond
)

// nextBatch returns the size of the next batch after one that took this long. It at most
// doubles, because a batch of rows that change nothing is fast.
func nextBatch(size int, took time.Duration) int {
	fitting := int(int64(size) * int64(batchTakes) / max(int64(took), 1))
	return min(max(fitting, minBatch), 2*size, importBatch)
}

// The states of an import.
const (
	importQueued    = "queued"
	importRunning   = "running"
	importCompleted = "completed"
	importFailed    = "failed"
)

// HullImport is an import of a file of hulls.
type HullImport struct {
	Env            auth.Env          `json:"-" db:"env"`
	ID             string            `json:"id" db:"id" doc:"Identifies the import. Starts with imp_." example:"imp_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	State          string            `json:"state" db:"state" enum:"queued,running,completed,failed" doc:"State of the import. An import that is completed can have rejected rows, see failed."`
	Format         string            `json:"format" db:"format" enum:"csv,ndjson" doc:"Format of the file."`
	Mode           string            `json:"mode" db:"mode" enum:"partial,atomic" doc:"partial imports the valid rows. atomic imports all rows or none."`
	DryRun         bool              `json:"dry_run" db:"dry_run" doc:"Whether nothing is saved. The counts and errors show what would happen."`
	Reacquire      bool              `json:"reacquire" db:"reacquire" doc:"Whether rows can add a boat that was delivered or archived before. Otherwise they are skipped." since:"2026-12-01"`
	LocationID     *string           `json:"location_id" db:"location_id" doc:"Default location for rows without one."`
	Columns        map[string]string `json:"columns" db:"columns,json" doc:"Columns of a CSV file that are read, with their fields."`
	IgnoredColumns []string          `json:"ignored_columns" db:"ignored_columns,json" nullable:"false" doc:"Columns that don't match a field. At most 100."`
	Bytes          int64             `json:"bytes" db:"bytes" doc:"Size of the file in bytes."`
	BytesDone      int64             `json:"bytes_done" db:"bytes_done" doc:"Bytes of the file that are done."`
	Rows           int64             `json:"rows" db:"row_count" doc:"Rows in the file, without the header. Equals created + updated + skipped + failed when the import is completed." example:"2000"`
	Created        int64             `json:"created" db:"created" doc:"Hulls that were created."`
	Updated        int64             `json:"updated" db:"updated" doc:"Rows whose stock number matched an existing hull."`
	Skipped        int64             `json:"skipped" db:"skipped" doc:"Rows whose HIN or stock number belongs to a delivered or archived hull. They change nothing." since:"2026-12-01"`
	Failed         int64             `json:"failed" db:"failed" doc:"Rows that were rejected."`
	Problem        *string           `json:"problem" db:"problem" doc:"Why the import failed. Null unless it failed."`
	Errors         []HullImportError `json:"errors" nullable:"false" doc:"Errors of the rejected rows. At most 1,000." audit:"-"`
	SkippedRows    []HullImportSkip  `json:"skipped_rows" nullable:"false" doc:"Rows that were skipped, with the hull that has their number. At most 1,000." audit:"-" since:"2026-12-01"`
	StartedAt      *time.Time        `json:"started_at" db:"started_at" doc:"When the first row was read. Null while the import is queued."`
	FinishedAt     *time.Time        `json:"finished_at" db:"finished_at" doc:"When the import ended. Null until then."`
	Version        int64             `json:"version" db:"version" doc:"Number of the current version. Same as the ETag."`
	CreatedAt      time.Time         `json:"created_at" db:"created_at" doc:"When the file was uploaded."`
	UpdatedAt      time.Time         `json:"updated_at" db:"updated_at" doc:"When it last changed."`

	Actor     auth.Actor `json:"-" db:"actor,json"`
	RequestID *string    `json:"-" db:"request_id"`
	Blob      string     `json:"-" db:"blob"`
	BeatAt    time.Time  `json:"-" db:"beat_at"`
}

// Revision returns the version.
func (i HullImport) Revision() int64 { return i.Version }

// HullImportError is an error of a row.
type HullImportError struct {
	Row     int64  `json:"row" db:"row_no" doc:"Row number, as in a spreadsheet. The header of a CSV file is row 1." example:"17"`
	Field   string `json:"field" db:"field" doc:"Field that is invalid." example:"price_usd"`
	Code    string `json:"code" db:"code" doc:"Code of the error, as in the details of an API error." example:"minimum"`
	Message string `json:"message" db:"message" doc:"What is wrong with the field. Completes a sentence that starts with its name." example:"must be at least 0"`
}

// HullImportSkip is a row that was skipped.
type HullImportSkip struct {
	Row     int64  `json:"row" db:"row_no" doc:"Row number, as in a spreadsheet. The header of a CSV file is row 1." example:"17"`
	Field   string `json:"field" db:"field" enum:"hin,stock_number" doc:"Which number of the row already belongs to a hull." example:"stock_number"`
	HullID  string `json:"hull_id" db:"hull_id" doc:"Hull that has this HIN or stock number." example:"hull_01jcqz8t5n8m2x4v6b7c9d0e1f"`
	Message string `json:"message" db:"message" doc:"Which hull has the number, and its status." example:"is already used by hull_01jcqz8t5n8m2x4v6b7c9d0e1f, which is delivered"`
}

// importForm is the options of an import.
type importForm struct {
	mode       string
	dryRun     bool
	reacquire  bool
	locationID *string
}

// parseImportForm reads the fields of a form, or the parameters of a request
// whose body is the file.
func parseImportForm(fields map[string]string) (f importForm, err error) {
	var bad fault.Fields
	if f.mode = fields["mode"]; f.mode == "" {
		f.mode = "partial"
	}
	if f.mode != "partial" && f.mode != "atomic" {
		bad.Add("mode", "enum", "must be one of partial, atomic")
	}
	for _, o := range []struct {
		name  string
		value *bool
	}{{"dry_run", &f.dryRun}, {"reacquire", &f.reacquire}} {
		switch fields[o.name] {
		case "", "false":
		case "true":
			*o.value = true
		default:
			bad.Add(o.name, "type", "must be true or false")
		}
	}
	f.locationID = optional(fields["location_id"])
	return f, bad.Err()
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
