package slipway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// The test vector of https://github.com/standard-webhooks/standard-webhooks.
const (
	vectorSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	vectorID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	vectorTime      = 1614265330
	vectorBody      = `{"test": 2432232314}`
	vectorSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func signed(signature string) http.Header {
	h := http.Header{}
	h.Set("webhook-id", vectorID)
	h.Set("webhook-timestamp", strconv.Itoa(vectorTime))
	h.Set("webhook-signature", signature)
	return h
}

func TestVerify(t *testing.T) {
	const other = "v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for _, c := range []struct {
		what, body, signature, secret string
		late                          time.Duration
		valid                         bool
	}{
		{"vector", vectorBody, vectorSignature, vectorSecret, 0, true},
		{"secret without prefix", vectorBody, vectorSignature, vectorSecret[6:], 0, true},
		{"two signatures", vectorBody, other + " " + vectorSignature, vectorSecret, 0, true},
		{"another version", vectorBody, "v1a,abc " + vectorSignature, vectorSecret, 0, true},
		{"five minutes late", vectorBody, vectorSignature, vectorSecret, 5 * time.Minute, true},
		{"five minutes early", vectorBody, vectorSignature, vectorSecret, -5 * time.Minute, true},
		{"too late", vectorBody, vectorSignature, vectorSecret, 5*time.Minute + time.Second, false},
		{"too early", vectorBody, vectorSignature, vectorSecret, -5*time.Minute - time.Second, false},
		{"changed byte", `{"test": 2432232315}`, vectorSignature, vectorSecret, 0, false},
		{"another secret", vectorBody, vectorSignature, "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", 0, false},
		{"another signature", vectorBody, other, vectorSecret, 0, false},
		{"only another version", vectorBody, "v2" + vectorSignature[2:], vectorSecret, 0, false},
		{"no signature", vectorBody, "", vectorSecret, 0, false},
		{"signature is not base64", vectorBody, "v1,???", vectorSecret, 0, false},
		{"empty secret", vectorBody, vectorSignature, "", 0, false},
		{"invalid secret", vectorBody, vectorSignature, "whsec_???", 0, false},
	} {
		err := verify([]byte(c.body), signed(c.signature), c.secret, time.Unix(vectorTime, 0).Add(c.late))
		if (err == nil) != c.valid {
			t.Errorf("%s: got %v, want valid %t", c.what, err, c.valid)
		}
	}

	for _, name := range []string{"webhook-id", "webhook-timestamp"} {
		h := signed(vectorSignature)
		h.Del(name)
		if err := verify([]byte(vectorBody), h, vectorSecret, time.Unix(vectorTime, 0)); !errors.Is(err, ErrSignature) {
			t.Errorf("without %s: got %v, want ErrSignature", name, err)
		}
	}
}

func TestParseWebhook(t *testing.T) {
	const body = `{"id": "evt_1", "type": "hull.price_changed", "data": {"object": {"id": "hull_1", "model": "210 Montauk", "price_usd": 67500},
		"previous": {"price_usd": 69600}}}`
	now := strconv.FormatInt(time.Now().Unix(), 10)
	key, _ := base64.StdEncoding.DecodeString(vectorSecret[6:])
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("evt_1." + now + "." + body))
	h := http.Header{}
	h.Set("webhook-id", "evt_1")
	h.Set("webhook-timestamp", now)
	h.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))

	event, err := ParseWebhook([]byte(body), h, vectorSecret)
	if err != nil {
		t.Fatal(err)
	}
	object, err := event.Object()
	hull, ok := object.(*Hull)
	if err != nil || !ok {
		t.Fatalf("got %T, %v; want a Hull", object, err)
	}
	equal(t, []any{event.Type, hull.Model, hull.PriceUSD, string(event.Data.Previous["price_usd"])},
		[]any{EventHullPriceChanged, "210 Montauk", 67500, "69600"}, "event")
}

// A webhook that is pinned to a newer version can receive events that this SDK doesn't know.
func TestUnknownEvent(t *testing.T) {
	var e Event
	if err := json.Unmarshal([]byte(`{"type": "hull.launched", "depth": 3, "data": {"object": {"id": "hull_1"}}}`), &e); err != nil {
		t.Fatal(err)
	}
	object, err := e.Object()
	equal(t, []any{object, err}, []any{nil, nil}, "object")
}

func TestOpt(t *testing.T) {
	var patch HullPatch
	if err := json.Unmarshal([]byte(`{"title": "A", "stock_number": null}`), &patch); err != nil {
		t.Fatal(err)
	}
	title, hasTitle := patch.Title.Get()
	_, hasNumber := patch.StockNumber.Get()
	equal(t, []any{title, hasTitle, hasNumber, patch.StockNumber.IsZero(), patch.Model.IsZero()}, []any{"A", true, false, false, true}, "patch")
}
