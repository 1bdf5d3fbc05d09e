package inventory

import (
	"bytes"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"slipway/internal/testkit"
	"slipway/internal/testkit/assert"
)

// An Excel workbook is imported like a CSV file: by its body, by its type and in a form. The
// rejected rows have the numbers of its rows.
func TestWorkbookImport(t *testing.T) {
	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
		harborEast(s)
		f := excelize.NewFile()
		for at, row := range map[string][]any{
			"A1": {"Inventory of November"},
			"A3": {"Stock #", "Manufacturer", "Model", "Year", "LOA", "Asking Price", "Location", "Date Received", "Status"},
			"A4": {"XL-1", "Grady-White", "Freedom 235", 2024, `23' 7"`, 139900.4, "HE", time.Date(2024, 3, 4, 0, 0, 0, 0, time.UTC), "On order"},
			"A6": {"XL-2", "Boston Whaler", "", 2023, 17.5, 42000, "HE", nil, ""},
		} {
			assert.NoError(t, f.SetSheetRow("Sheet1", at, &row))
		}
		var b bytes.Buffer
		assert.NoError(t, f.Write(&b))

		const kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
		i := runImport(t, s, startImport(s, "?dry_run=true", testkit.Form(t, testkit.File{Type: kind, Bytes: b.Bytes()}, "mode", "partial")))
		assert.Equal(t, i.Created, 1, assert.Show(i))
		i = runImport(t, s, startImport(s, "", testkit.File{Type: kind, Bytes: b.Bytes()}))
		assert.Equal(t, i.State, "completed", assert.Show(i))
		assert.Equal(t, i.Rows, 2)
		assert.Equal(t, i.Created, 1)
		assert.Equal(t, i.Format, "csv")
		assert.Equal(t, i.Errors[0].Row, 6, assert.Show(i.Errors))
		assert.Equal(t, i.Errors[0].Field, "model")

		h := byStock(s)["XL-1"]
		assert.Equal(t, h.PriceUSD, 139900)
		assert.Equal(t, h.LengthFt, 23.58)
		assert.Equal(t, h.ReceivedOn, new("2024-03-04"))

		res := s.Test.With("Accept", "text/csv").Get("/v2-preview/hull_imports/"+i.ID+"/errors", 200, nil)
		assert.Contains(t, string(res.Bytes), "6,\"model is required; hin is required unless the hull is on order or in transit, or hin_absent_reason is set\",XL-2,Boston Whaler,,2023,17.5,42000,HE,,")
	})
}
