package imports

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"slipway/internal/imports/sheet"
	"slipway/internal/vocab/fault"
)

const (
	// keptFor is how long the file of a check is kept.
	keptFor = 30 * 24 * time.Hour
	// maxRepairs is how many rows of a file can be repaired. More are faster in a spreadsheet.
	maxRepairs = 1000
	// maxShown is how many rows with errors are shown at a time.
	maxShown = 200
)

// HullImportReading is how the columns of a checked file are read.
type HullImportReading struct {
	_ struct{} `doc:"How the columns of a checked file are read." privacy:"plain"`

	Columns       []sheet.HullImportColumn `json:"columns" nullable:"false" doc:"Columns of the file, in its order."`
	MissingFields []string                 `json:"missing_fields" nullable:"false" doc:"Required fields that no column has."`
	RowsRead      int64                    `json:"rows_read" doc:"Rows that the sums and counts are about: all of them, or the first ones of a large file." example:"412"`
	Remembered    bool                     `json:"remembered" doc:"Whether the file is read like the last one with the same columns."`
}

// HullImportReadingUpdate says how the columns and words of a file are read.
type HullImportReadingUpdate struct {
	_ struct{} `doc:"How the columns and words of a checked file are read from now on."`

	Map        map[string]string `json:"map" privacy:"plain" doc:"Fields by the names of columns. An empty field ignores the column. Columns that it doesn't have are read by their names."`
	Words      sheet.Words       `json:"words,omitzero" privacy:"plain" doc:"What words of status, condition, ownership, engine_fuel and location_id mean. An empty meaning ignores the word."`
	LocationID *string           `json:"location_id,omitempty" doc:"Default location for rows without one. Omitted clears it."`
}

// HullImportRows are the rows of a checked file that need a repair or were repaired.
type HullImportRows struct {
	_ struct{} `doc:"Rows of a checked file that have errors or were repaired." privacy:"plain"`

	Columns []string        `json:"columns" nullable:"false" doc:"Names of the columns."`
	Fields  []string        `json:"fields" nullable:"false" doc:"Fields of the columns. Empty for a column that is ignored."`
	Rows    []HullImportRow `json:"rows" nullable:"false" doc:"The first 200 of these rows."`
	Ready   int64           `json:"ready" doc:"Rows that can be imported." example:"407"`
	Broken  int64           `json:"broken" doc:"Rows that have errors." example:"5"`
}

// HullImportRow is a row of a checked file.
type HullImportRow struct {
	_ struct{} `doc:"A row of a checked file." privacy:"plain"`

	Row      int64              `json:"row" doc:"Row number, as in a spreadsheet. The header is row 1." example:"17"`
	Cells    []string           `json:"cells" nullable:"false" doc:"Texts of its cells, in the order of the columns."`
	Fields   map[string]string  `json:"fields" doc:"Texts of fields that have no column in the file."`
	Repaired bool               `json:"repaired" doc:"Whether the row was changed here. The file stays as it is."`
	Errors   []HullImportRepair `json:"errors" nullable:"false" doc:"What is wrong with it. Empty if it can be imported."`
}

// HullImportRepair is an error of a row, and what would repair it.
type HullImportRepair struct {
	_ struct{} `doc:"An error in a row of a checked file." privacy:"plain"`

	Field      string  `json:"field" doc:"Field that is invalid." example:"year"`
	Code       string  `json:"code" doc:"Code of the error." example:"maximum"`
	Message    string  `json:"message" doc:"What is wrong. Completes a sentence that starts with the field's name." example:"must be at most 2028"`
	Suggestion *string `json:"suggestion" doc:"Text that would repair the cell. Null if it isn't certain." example:"2022"`
}

// HullImportRowUpdate replaces the texts of a row.
type HullImportRowUpdate struct {
	_ struct{} `doc:"New texts of a row of a checked file." privacy:"plain"`

	Cells  []string          `json:"cells" maxItems:"500" doc:"Texts of all cells, in the order of the columns."`
	Fields map[string]string `json:"fields,omitzero" doc:"Texts of fields that have no column in the file, such as hin_absent_reason."`
}

// isReviewable checks whether the file of an import can be repaired, read in another way, and
// started.
func (i HullImport) isReviewable() error {
	switch {
	case !i.Review:
		return fault.Conflict("The import wasn't created with review=true.").Detail("review", "state", "is false")
	case i.State == importQueued || i.State == importRunning:
		return fault.Conflict("The file is still being read. Try again when its state is completed or failed.").Detail("state", "state", "is %s", i.State)
	case !i.DryRun:
		return fault.Conflict("The import was already started.").Detail("dry_run", "state", "is false")
	case i.KeptUntil == nil:
		return fault.Conflict("The file was deleted 30 days after its check. Send it again.").Detail("kept_until", "state", "has passed")
	}
	return nil
}

// restart prepares an import to be read from its start.
func (i *HullImport) restart(start int64) {
	i.State, i.Stage, i.Problem, i.StartedAt, i.FinishedAt, i.ComparedTo = importQueued, stageRows, nil, nil, nil, ""
	i.BytesDone, i.PhotoCount = start, 0
	i.Created, i.Updated, i.Unchanged, i.Skipped, i.Failed, i.Noted, i.MissingCount, i.Archived = 0, 0, 0, 0, 0, 0, 0, 0
	i.DuplicateCount, i.ConsentCount, i.UnprovenCount, i.OptOutCount, i.HistoryCount = 0, 0, 0, 0, 0
}

// headersOf identifies files with the same columns.
func headersOf(header []string) string {
	names := []string{}
	for _, name := range header {
		names = append(names, strings.ToLower(strings.TrimSpace(name)))
	}
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return hex.EncodeToString(sum[:])
}

// textOf returns the text of a field in the cells of a row, and its position. It is -1 if the
// file has no column for it.
func textOf(field string, fields, cells []string) (text string, at int) {
	at = -1
	for n, name := range fields {
		if name == field && n < len(cells) && (at < 0 || text == "") {
			text, at = strings.TrimSpace(cells[n]), n
		}
	}
	return text, at
}

// keepDuplicates returns the errors of a row that a check of the row alone can't find: numbers
// that another row has. They stay until the cell is changed.
func keepDuplicates(before []HullImportError, was, is, fields []string) (kept []HullImportError) {
	for _, e := range before {
		old, at := textOf(e.Field, fields, was)
		now, _ := textOf(e.Field, fields, is)
		if e.Code == "duplicate" && at >= 0 && old == now {
			kept = append(kept, e)
		}
	}
	return kept
}
