package audit

import (
	"encoding/hex"
	"testing"
	"time"

	"slipway/internal/testkit/assert"
)

// What earlier versions signed must not change. Otherwise their entries can no
// longer be verified.
func TestSignedContent(t *testing.T) {
	e := Entry{
		Env: 3, ID: "aud_1", At: time.UnixMilli(1_750_000_000_123), ActorType: "user", ActorID: "usr_1", ActorLabel: "Ann",
		Action: "hull.updated", TargetType: "hull", TargetID: "hull_1", IP: new(""), Changes: "{}", Outcome: "success",
	}
	const old = "0000000133" + "000000056175645f31" + "0000000d31373530303030303030313233" + "0000000475736572" + "000000057573725f31" +
		"00000003416e6e" + "0000000c68756c6c2e75706461746564" + "0000000468756c6c" + "0000000668756c6c5f31" + "000000012d" + "000000012b" +
		"000000012d" + "000000027b7d" + "0000000773756363657373"
	assert.Equal(t, hex.EncodeToString(e.Content()), old)
	e.Group, e.Number, e.Total = new("aud_1"), new(int64(1)), new(int64(2))
	if got, want := hex.EncodeToString(e.Content()), old+"000000056175645f31"+"0000000131"+"0000000132"; got != want {
		t.Errorf("got %s with a number, want %s", got, want)
	}
}
