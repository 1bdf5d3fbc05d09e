package sms

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

var text = Message{From: "+14105550100", To: "+14105550123", Text: "Your boat is ready — at last.", Token: "msg_1"}

func TestOutbox(t *testing.T) {
	o := Outbox{filepath.Join(t.TempDir(), "outbox")}
	for range 2 { // a repeat is the same message
		if id, err := o.Send(t.Context(), text); err != nil || id != "msg_1" {
			t.Fatalf(`got %q %v; want no error, id = "msg_1"`, id, err)
		}
	}
	files, err := os.ReadDir(o.Folder)
	assert.NoError(t, err)
	assert.Len(t, files, 1)
	assert.Equal(t, files[0].Name(), "msg_1.sms.json")
	written, err := os.ReadFile(filepath.Join(o.Folder, "msg_1.sms.json"))
	assert.NoError(t, err)
	assert.Contains(t, string(written), text.Text)
	assert.Contains(t, string(written), text.To)
}

func TestTwilio(t *testing.T) {
	var status int
	var body, callback string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		callback = r.PostFormValue("StatusCallback")
		if r.Method != "POST" || r.URL.Path != "/2010-04-01/Accounts/AC1/Messages.json" || user != "AC1" || password != "secret" ||
			r.PostFormValue("To") != text.To || r.PostFormValue("From") != text.From || r.PostFormValue("Body") != text.Text ||
			r.Header.Get("Idempotency-Key") != "msg_1" {
			t.Errorf(`got %s %s %v %v; want r.Method = "POST", r.URL.Path = "/2010-04-01/Accounts/AC1/Messages.json", user = "AC1", password = "secret", r.PostFormValue("To") = %q, r.PostFormValue("From") = %q, r.PostFormValue("Body") = %q, r.Header.Get("Idempotency-Key") = "msg_1"`, r.Method, r.URL, r.PostForm, r.Header, text.To, text.From, text.Text)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer web.Close()
	twilio, err := NewTwilio(web.URL+"/", "AC1", "secret")
	if err != nil {
		t.Fatal(err)
	}
	status, body = 201, `{"sid": "SM1"}`
	withCallback := text
	withCallback.Callback = "https://boats.example.com/hooks/twilio/t"
	if _, err := twilio.Send(t.Context(), withCallback); err != nil || callback != withCallback.Callback {
		t.Errorf("got the callback %q, %v; want %q", callback, err, withCallback.Callback)
	}
	for name, c := range map[string]struct {
		status   int
		body     string
		id       string
		rejected string
		optedOut bool
	}{
		"taken":             {201, `{"sid": "SM1", "status": "queued"}`, "SM1", "", false},
		"opted out":         {400, `{"code": 21610, "message": "unsubscribed"}`, "", "21610", true},
		"no such number":    {400, `{"code": 21211, "message": "invalid"}`, "", "21211", false},
		"too fast":          {429, `{"code": 20429, "message": "too many"}`, "", "", false},
		"a wrong token":     {401, `{"code": 20003, "message": "authenticate"}`, "", "", false},
		"broken":            {503, `oops`, "", "", false},
		"not even JSON":     {400, `<html>`, "", "", false},
		"taken, without id": {201, `{}`, "", "", false},
	} {
		status, body = c.status, c.body
		id, err := twilio.Send(t.Context(), text)
		r, rejected := errors.AsType[*Rejected](err)
		if id != c.id || (err == nil) != (c.id != "") || rejected != (c.rejected != "") || rejected &&
			(r.Code != c.rejected || r.OptedOut() != c.optedOut) {
			t.Errorf("%s: got %q, %v; want %q, rejected as %q, opted out %t", name, id, err, c.id, c.rejected, c.optedOut)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the token is in the error: %v", name, err)
		}
	}
	web.Close()
	if _, err := twilio.Send(t.Context(), text); err == nil {
		t.Error("sent without a recipient, want an error")
	}
	for _, bad := range [][3]string{{"api.twilio.com", "AC1", "secret"}, {"https://api.twilio.com", "", "secret"},
		{"https://api.twilio.com", "AC1", ""}} {
		if _, err := NewTwilio(bad[0], bad[1], bad[2]); err == nil {
			t.Errorf("%v is accepted, want an error", bad)
		}
	}
}

// A request that Twilio received is not sent again if the answer doesn't arrive, also not
// by net/http on a connection that it uses again. One that it didn't receive is.
func TestTwilioDoesNotAnswer(t *testing.T) {
	var requests atomic.Int64
	var answer atomic.Value // of func(w http.ResponseWriter); a late handler still reads it
	stop := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		requests.Add(1)
		answer.Load().(func(w http.ResponseWriter))(w)
	}))
	defer web.Close()
	defer close(stop)
	twilio, err := NewTwilio(web.URL, "AC1", "secret")
	if err != nil {
		t.Fatal(err)
	}
	twilio.Client.Timeout = 300 * time.Millisecond
	status := func(code int, body string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(code)
			_, _ = w.Write([]byte(body))
		}
	}
	hangUp := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = conn.Close()
	}

	for name, c := range map[string]struct {
		answer     func(w http.ResponseWriter)
		unanswered bool
	}{
		"too late":            {func(http.ResponseWriter) { <-stop }, true},
		"connection closed":   {hangUp, true},
		"half an answer":      {func(w http.ResponseWriter) { w.Header().Set("Content-Length", "99"); status(201, `{"sid":`)(w) }, true},
		"accepted, no ID":     {status(201, `{}`), true},
		"accepted, no JSON":   {status(200, `ok`), true},
		"a proxy has no one":  {status(502, `bad gateway`), true},
		"a proxy gave up":     {status(504, `timeout`), true},
		"overloaded":          {status(503, `oops`), false},
		"too many":            {status(429, `{"code": 20429}`), false},
		"rejected":            {status(400, `{"code": 21211, "message": "invalid"}`), false},
		"answers immediately": {status(201, `{"sid": "SM1"}`), false},
	} {
		answer.Store(status(201, `{"sid": "SM1"}`))
		if _, err := twilio.Send(t.Context(), text); err != nil { // the connection is used again
			t.Fatal(err)
		}
		requests.Store(0)
		answer.Store(c.answer)
		_, err := twilio.Send(t.Context(), text)
		_, unanswered := errors.AsType[*Unanswered](err)
		if unanswered != c.unanswered || requests.Load() != 1 {
			t.Errorf("%s: got %v after %d requests, want unanswered %t after 1", name, err, requests.Load(), c.unanswered)
		}
	}

	nobody := httptest.NewServer(nil)
	nobody.Close()
	twilio.URL = nobody.URL
	_, err = twilio.Send(t.Context(), text)
	if _, unanswered := errors.AsType[*Unanswered](err); err == nil || unanswered {
		t.Errorf("connection refused: got %v, want a temporary error", err)
	}
}

func TestStatus(t *testing.T) {
	var status int
	var body string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, _, _ := r.BasicAuth(); r.Method != "GET" || r.URL.Path != "/2010-04-01/Accounts/AC1/Messages/SM1.json" || user != "AC1" {
			t.Errorf(`got %s %s; want r.Method = "GET", r.URL.Path = "/2010-04-01/Accounts/AC1/Messages/SM1.json", user = "AC1"`, r.Method, r.URL)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer web.Close()
	twilio, err := NewTwilio(web.URL, "AC1", "secret")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		status   int
		body     string
		delivery Status
		rejected string
		fails    bool
	}{
		"delivered":  {200, `{"sid": "SM1", "status": "delivered", "error_code": null, "error_message": null}`, Delivered, "", false},
		"on its way": {200, `{"sid": "SM1", "status": "sent"}`, Underway, "", false},
		"unreachable": {200, `{"sid": "SM1", "status": "undelivered", "error_code": 30003, "error_message": "unreachable"}`, Unknown,
			"30003", true},
		"no such message": {404, `{"code": 20404, "message": "not found", "status": 404}`, Unknown, "20404", true},
		"broken":          {500, `oops`, Unknown, "", true},
	} {
		status, body = c.status, c.body
		delivery, err := twilio.Status(t.Context(), "SM1")
		r, rejected := errors.AsType[*Rejected](err)
		if delivery != c.delivery || (err != nil) != c.fails || rejected != (c.rejected != "") || rejected && r.Code != c.rejected {
			t.Errorf("%s: got %d, %v; want %d, an error: %t, rejected as %q", name, delivery, err, c.delivery, c.fails, c.rejected)
		}
	}
}

// The messages to the recipient with the same text, which Twilio has accepted since a time.
func TestSent(t *testing.T) {
	status, body := 200, ""
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "GET" || r.URL.Path != "/2010-04-01/Accounts/AC1/Messages.json" || r.URL.Query().Get("To") != text.To {
			t.Errorf("got %s %s, want a list of the messages to %s", r.Method, r.URL, text.To)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer web.Close()
	twilio, err := NewTwilio(web.URL, "AC1", "secret")
	assert.NoError(t, err)
	since := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	message := func(id, direction, created, text string) string {
		return fmt.Sprintf(`{"sid": %q, "direction": %q, "date_created": %q, "body": %q}`, id, direction, created, text)
	}
	now, before := "Wed, 18 Nov 2026 12:00:00 +0000", "Wed, 18 Nov 2026 11:59:59 +0000"

	for name, c := range map[string]struct {
		messages []string
		want     []string
	}{
		"none":             {nil, nil},
		"accepted":         {[]string{message("SM1", "outbound-api", now, text.Text)}, []string{"SM1"}},
		"oldest first":     {[]string{message("SM2", "outbound-api", now, text.Text), message("SM1", "outbound-api", now, text.Text)}, []string{"SM1", "SM2"}},
		"of a trial":       {[]string{message("SM1", "outbound-api", now, "Sent from a trial account - "+text.Text)}, []string{"SM1"}},
		"an earlier one":   {[]string{message("SM1", "outbound-api", before, text.Text)}, nil},
		"another text":     {[]string{message("SM1", "outbound-api", now, "Hello")}, nil},
		"from the contact": {[]string{message("SM1", "inbound", now, text.Text)}, nil},
	} {
		body = `{"messages": [` + strings.Join(c.messages, ",") + `]}`
		got, err := twilio.Sent(t.Context(), text, since)
		assert.NoError(t, err)
		assert.Equal(t, got, c.want, name)
	}
	for _, answer := range []struct {
		status int
		body   string
	}{{503, "oops"}, {200, "oops"}, {200, `{"messages": [` + message("SM1", "outbound-api", "yesterday", text.Text) + `]}`}} {
		status, body = answer.status, answer.body
		if _, err := twilio.Sent(t.Context(), text, since); err == nil {
			t.Errorf("%d %s: got no error, want one", status, body)
		}
	}
}

func TestMessagingService(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.PostFormValue("MessagingServiceSid") != "MG1" || r.PostForm.Has("From") {
			t.Errorf("got the form %v, want MessagingServiceSid MG1 and no From", r.PostForm)
		}
		_, _ = w.Write([]byte(`{"sid": "SM1"}`))
	}))
	defer web.Close()
	twilio, err := NewTwilio(web.URL, "AC1", "secret")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := twilio.Send(t.Context(), Message{From: "MG1", To: "+14105550123", Text: "a"}); err != nil {
		t.Error(err)
	}
}

func TestSegments(t *testing.T) {
	for s, want := range map[string]int64{
		"": 1, "a": 1, strings.Repeat("a", 160): 1, strings.Repeat("a", 161): 2, strings.Repeat("a", 306): 2, strings.Repeat("a", 307): 3,
		strings.Repeat("€", 80): 1, strings.Repeat("€", 81): 2, strings.Repeat("ы", 70): 1, strings.Repeat("ы", 71): 2, strings.Repeat("🚤",
			36): 2,
	} {
		if got := Segments(s); got != want {
			t.Errorf("%.20s…: %d, want %d", s, got, want)
		}
	}
}

// The example of Twilio's documentation, and changes of it.
func TestVerifyTwilio(t *testing.T) {
	const address, token = "https://mycompany.com/myapp.php?foo=1&bar=2", "12345"
	form := func() url.Values {
		return url.Values{"CallSid": {"CA1234567890ABCDE"}, "Caller": {"+14158675309"}, "Digits": {"1234"},
			"From": {"+14158675309"}, "To": {"+18005551212"}}
	}
	const signature = "RSOYDt4T1cUTdK1PDd93/VVr8B8=" // of https://mycompany.com/myapp.php?foo=1&bar=2
	changed, added := form(), form()
	changed.Set("Digits", "1235")
	added.Set("Z", "")
	for name, c := range map[string]struct {
		token, address string
		form           url.Values
		signature      string
		want           bool
	}{
		"published example": {token, address, form(), signature, true},
		"with the port":     {token, "https://mycompany.com:443/myapp.php?foo=1&bar=2", form(), signature, true},
		"another token":     {"12346", address, form(), signature, false},
		"no token":          {"", address, form(), signature, false},
		"another path":      {token, "https://mycompany.com/other.php?foo=1&bar=2", form(), signature, false},
		"another host":      {token, "https://mycompany.org/myapp.php?foo=1&bar=2", form(), signature, false},
		"plain HTTP":        {token, "http://mycompany.com/myapp.php?foo=1&bar=2", form(), signature, false},
		"a changed value":   {token, address, changed, signature, false},
		"an added value":    {token, address, added, signature, false},
		"no signature":      {token, address, form(), "", false},
		"part of it":        {token, address, form(), "RSOYDt4T1cU=", false},
		"not base64":        {token, address, form(), strings.Repeat("?", 28), false},
	} {
		assert.Equal(t, VerifyTwilio(c.token, c.address, c.form, c.signature), c.want, name)
	}
}
