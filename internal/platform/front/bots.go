package front

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"math/bits"
	"strings"
	"time"

	"slipway/internal/platform/ratelimit"
)

// The limits of a form that everyone can send.
const (
	// fastest is how long a person takes to fill in a form, at least.
	fastest = 3 * time.Second
	// stampFor is how long a form can be sent after it was shown.
	stampFor = 12 * time.Hour
	// workBits is how many bits of the hash are zero: about 33,000 tries, less than two seconds
	// in the background on a phone.
	workBits = 15

	// A network can send so many forms at once, and then one per step. With the proof of work,
	// it can send more.
	plainBurst, workedBurst = 4, 20
	refill                  = time.Minute
)

// Trap is the name of the field that people don't see.
const Trap = "company_url"

// Verdict is what a form that everyone can send seems to be.
type Verdict int

// The verdicts. A bot sees that its form was received, so that it doesn't learn.
const (
	Person Verdict = iota
	Bot
	Stale // the form was shown too long ago, or belongs to another page
	Flood // the network sends too much
)

// Bots checks forms that everyone can send. Nothing is stored, and no third party is asked.
type Bots struct {
	MAC    func([]byte) []byte
	Now    func() time.Time
	Limits *ratelimit.Limiter
}

const (
	stampHead = 8 + 12 // the time and random bytes
	stampMAC  = 16
)

// Stamp returns what a form contains when it is shown. It is bound to a place, such as a form about
// a boat.
func (b Bots) Stamp(place string) string {
	head := binary.BigEndian.AppendUint64(make([]byte, 0, stampHead+stampMAC), uint64(b.Now().UnixMilli()))
	head = head[:stampHead]
	_, _ = rand.Read(head[8:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(append(head, b.mac(place, head)...))
}

func (b Bots) mac(place string, head []byte) []byte {
	return b.MAC(append([]byte("form/"+place+"/"), head...))[:stampMAC]
}

// age returns how long ago a form was shown.
func (b Bots) age(place, stamp string) (time.Duration, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(stamp)
	if err != nil || len(raw) != stampHead+stampMAC || !hmac.Equal(raw[stampHead:], b.mac(place, raw[:stampHead])) {
		return 0, false
	}
	return b.Now().Sub(time.UnixMilli(int64(binary.BigEndian.Uint64(raw)))), true
}

// Sent is what a form says about itself.
type Sent struct {
	Place   string
	Stamp   string
	Work    string // the proof of work, or "" without scripts
	Trap    string
	Address string // of the sender
}

// Check says who seems to have sent a form. It takes one of the forms that the network can send.
func (b Bots) Check(s Sent) Verdict {
	age, ok := b.age(s.Place, s.Stamp)
	bucket, burst := "form ", plainBurst
	if ok && Worked(s.Stamp, s.Work) {
		bucket, burst = "worked ", workedBurst
	}
	switch {
	case b.Limits.TakeAddress(bucket, s.Address, burst, refill).Wait > 0:
		return Flood
	case strings.TrimSpace(s.Trap) != "":
		return Bot
	case !ok || age > stampFor:
		return Stale
	case age < fastest:
		return Bot
	}
	return Person
}

// Worked reports whether a number proves work for a stamp.
func Worked(stamp, number string) bool {
	if number == "" || len(number) > 20 {
		return false
	}
	sum := sha256.Sum256([]byte(stamp + "." + number))
	return bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])) >= workBits
}
