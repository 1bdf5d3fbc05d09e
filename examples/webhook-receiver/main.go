// Webhook-receiver receives events with the standard library of Go, and nothing else.
//
//	SECRET=whsec_... go run ./examples/webhook-receiver
package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// receiver is the handler of your URL.
type receiver struct {
	key  []byte
	mu   sync.Mutex
	seen map[string]bool // a real receiver stores these IDs with what it did
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, 1<<20)) // the bytes as they were received
	if err != nil || !r.isGenuine(req.Header, body) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent) // respond first, then work

	var event struct {
		ID   string
		Type string
		Data struct{ Object struct{ ID string } }
	}
	if json.Unmarshal(body, &event) != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[event.ID] { // a message can come twice
		return
	}
	r.seen[event.ID] = true
	fmt.Println(event.Type, event.Data.Object.ID)
}

// isGenuine verifies a message as https://www.standardwebhooks.com describes.
func (r *receiver) isGenuine(h http.Header, body []byte) bool {
	id, timestamp := h.Get("webhook-id"), h.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || id == "" || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, part := range strings.Fields(h.Get("webhook-signature")) { // one for each active secret
		if hmac.Equal([]byte(part), []byte(want)) {
			return true
		}
	}
	return false
}

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("Set SECRET to the signing secret of the webhook.")
	}
	server := &http.Server{
		Addr: "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "3000"), Handler: &receiver{key: key, seen: map[string]bool{}}, ReadTimeout: 10 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
