package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// sale is one step of a deal. There is no bare server for it, because it would
// have to implement most of the service.
type sale struct {
	database, title string
	workers         int
	ours            tally
}

// saleNames returns the names of the numbers, for -only.
func saleNames(prefix string) (names []string) {
	for _, n := range concurrencies {
		names = append(names, fmt.Sprintf("%sdeal/%d", prefix, n))
	}
	return names
}

// sell opens deals with idempotency keys, each on its own hull, and then accepts
// their offers.
func (s *stage) sell(ctx context.Context, o options, r *report, d database) error {
	var buyer string
	for _, workers := range concurrencies {
		if !o.only.MatchString(fmt.Sprintf("%s/deal/%d", d.name, workers)) {
			continue
		}
		progress("%s: deals, %d concurrent", d.name, workers)
		if buyer == "" {
			created, err := s.post(ctx, "/v1/contacts", map[string]any{"last_name": "Bell", "email": "ann@example.com"}, http.StatusCreated)
			if err != nil {
				return err
			}
			buyer = created
		}

		hulls, err := texts(ctx, s.raw, `SELECT id FROM hulls WHERE env = $1 AND status = 'available' ORDER BY id LIMIT $2`,
			s.env, max(20, int(o.seconds*200)))
		if err != nil {
			return err
		}

		deals := make([]string, len(hulls))
		opened, err := each(ctx, workers, len(hulls), func(ctx context.Context, i int) (err error) {
			deals[i], err = s.post(ctx, "/v1/deals", map[string]any{"hull_id": hulls[i], "buyer_id": buyer, "offer_usd": 118000}, http.StatusCreated)
			return err
		})
		if err != nil {
			return err
		}

		offers := make([]string, len(deals))
		for i, id := range deals {
			offer, err := texts(ctx, s.raw, `SELECT id FROM offers WHERE env = $1 AND deal_id = $2`, s.env, id)
			if err != nil {
				return err
			}
			offers[i] = offer[0]
		}

		accepted, err := each(ctx, workers, len(deals), func(ctx context.Context, i int) error {
			_, err := s.post(ctx, "/v1/deals/"+deals[i]+"/offers/"+offers[i]+"/accept", map[string]any{}, http.StatusOK)
			return err
		})
		if err != nil {
			return err
		}

		r.sales = append(r.sales, sale{d.name, "open a deal with Idempotency-Key", workers, opened},
			sale{d.name, "accept an offer", workers, accepted})
	}

	return nil
}

// each runs do for every number below n, with several workers.
func each(ctx context.Context, workers, n int, do func(ctx context.Context, i int) error) (t tally, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	took := make([]time.Duration, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	begin, used := time.Now(), cpuTime()

	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				start := time.Now()
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
				took[i] = time.Since(start)
			}
		})
	}
	wg.Wait()

	t = tally{rates: []float64{float64(n) / time.Since(begin).Seconds()}, took: took, cpu: cpuTime() - used}
	return t, context.Cause(ctx)
}

// post sends a request with an idempotency key to the service and returns the ID
// in the response.
func (s *stage) post(ctx context.Context, path string, body any, want int) (string, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.ours+path, bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", uuid.NewString())
	response, err := send(req, want)
	if err != nil {
		return "", err
	}
	var created struct{ ID string }
	err = json.Unmarshal(response, &created)
	return created.ID, err
}
