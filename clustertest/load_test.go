package main

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// The comparison finds a confirmed write that is missing, one that was replaced by another
// deal, and one that is in the database twice.
func TestCompare(t *testing.T) {
	l := newLoad("", "", "")
	l.confirmed = map[int64]string{1: "deal_a", 2: "deal_b", 3: "deal_c", 4: "deal_d"}
	lost, duplicated, err := l.compare([]string{"deal_a|100001", "deal_x|100002", "deal_c|100003", "deal_y|100003", "deal_z|100005"})
	if err != nil || lost != 2 || duplicated != 1 {
		t.Errorf("got %d lost, %d duplicated, %v; want 2 lost and 1 duplicated", lost, duplicated, err)
	}
	if _, _, err := l.compare([]string{"deal_a|"}); err == nil {
		t.Error("a row without an amount is accepted, want an error")
	}
}

func TestCount(t *testing.T) {
	l := newLoad("", "", "")
	l.begin()
	l.last = time.Now().Add(-3 * time.Second)
	l.count(1, http.StatusCreated, []byte(`{"id":"deal_a"}`), nil, 0)
	l.count(2, http.StatusServiceUnavailable, nil, nil, 0)
	l.count(3, http.StatusConflict, nil, nil, 0)
	l.count(4, http.StatusBadGateway, nil, nil, 0)
	l.count(5, 0, nil, errors.New("timeout"), hangs)
	l.count(6, 0, nil, errors.New("connection reset"), time.Second)
	got := l.end()
	if got.confirmed != 1 || got.gap < 3*time.Second || got.hung != 1 || got.broken != 1 || got.unexpected != 1 {
		t.Errorf("got %+v", got)
	}
	if l.confirmed[1] != "deal_a" {
		t.Errorf("got %v, want deal_a", l.confirmed)
	}
}
