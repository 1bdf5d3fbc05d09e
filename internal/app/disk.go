package app

import (
	"log/slog"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// disk watches the disk of the data folder.
type disk struct {
	folder string
	space  func(folder string) (free, size uint64, err error)
	log    *slog.Logger
	low    atomic.Bool // a warning was logged
}

// register adds the metrics of the disk.
func (d *disk) register(r *prometheus.Registry) {
	gauge := func(name, help string, value func(free, size uint64) uint64) {
		r.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
			free, size, err := d.space(d.folder)
			if err != nil {
				return -1
			}
			return float64(value(free, size))
		}))
	}
	gauge("slipway_data_free_bytes", "Free space on the disk of the data folder.", func(free, _ uint64) uint64 { return free })
	gauge("slipway_data_size_bytes", "Size of the disk of the data folder.", func(_, size uint64) uint64 { return size })
}

// check logs a warning when less than 10% of the disk is free, once until there is more
// space again.
func (d *disk) check() {
	free, size, err := d.space(d.folder)
	if err != nil || size == 0 {
		return
	}
	low := free < size/10
	if low && !d.low.Load() {
		d.log.Warn("the disk of the data folder is almost full", "folder", d.folder, "free_bytes", free, "size_bytes", size)
	}
	d.low.Store(low)
}
