package hulls

import (
	"time"

	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/fault"
)

// salesHoldDays is how long a hold of people who don't change the inventory can last.
const salesHoldDays = 14

// canHold checks whether a caller can place, change or end a hold. Without hulls:write, the
// hold of someone else stays.
func (h Hull) canHold(p auth.Principal) error {
	if h.Hold == nil || p.Can(auth.HullsWrite) || h.Hold.UserID != nil && *h.Hold.UserID == p.UserID {
		return nil
	}
	return fault.Forbidden("The hull is on hold by another user. Only that user, or one with hulls:write, can change the hold.").
		Detail("hull_id", "scope", "is on hold by another user")
}

// checkLength limits the holds of callers without hulls:write.
func (t HullTransition) checkLength(p auth.Principal, now time.Time) error {
	if p.Can(auth.HullsWrite) || !t.ExpiresAt.After(now.AddDate(0, 0, salesHoldDays)) {
		return nil
	}
	var bad fault.Fields
	bad.Add("expires_at", "maximum", "must be within %d days. A longer hold requires hulls:write", salesHoldDays)
	return bad.Err()
}
