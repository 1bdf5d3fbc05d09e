package app

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestDiskWarning(t *testing.T) {
	var log bytes.Buffer
	var free uint64
	var failure error
	d := &disk{folder: "data", log: slog.New(slog.NewTextHandler(&log, nil)), space: func(string) (uint64, uint64, error) { return free, 1000, failure }}
	for _, c := range []struct {
		free     uint64
		warnings int
	}{{500, 0}, {100, 0}, {99, 1}, {50, 1}, {400, 1}, {10, 2}} {
		free = c.free
		d.check()
		if got := strings.Count(log.String(), "almost full"); got != c.warnings {
			t.Errorf("%d of 1000 bytes are free: got %d warnings, want %d", free, got, c.warnings)
		}
	}
	free, failure = 0, errors.New("no such folder")
	d.check()
	if got := strings.Count(log.String(), "almost full"); got != 2 {
		t.Errorf("unknown space: got %d warnings, want 2", got)
	}
}

func TestDiskMetrics(t *testing.T) {
	r := prometheus.NewRegistry()
	d := &disk{folder: t.TempDir(), space: DiskSpace}
	d.register(r)
	families, err := r.Gather()
	if err != nil || len(families) != 2 {
		t.Fatalf("got %d metrics and error %v, want 2", len(families), err)
	}
	free, size := families[0].GetMetric()[0].GetGauge().GetValue(), families[1].GetMetric()[0].GetGauge().GetValue()
	if families[0].GetName() != "slipway_data_free_bytes" || families[1].GetName() != "slipway_data_size_bytes" || free <= 0 || free > size {
		t.Errorf("got %v, want the free space and the size of the disk", families)
	}
}
