package patch

import (
	"maps"

	"slipway/internal/vocab/fault"
)

// CheckMetadata bounds the notes.
func CheckMetadata(bad *fault.Fields, m map[string]string) {
	if len(m) > 50 {
		bad.Add("metadata", "too_many", "must have at most 50 items")
	}
	for k, v := range m {
		switch {
		case k == "" || len([]rune(k)) > 40:
			bad.Add("metadata", "too_long", "must have keys of 1 to 40 characters")
		case len([]rune(v)) > 500:
			bad.Add("metadata."+k, "too_long", "must have at most 500 characters")
		}
	}
}

// MergeMetadata is RFC 7396 on a flat object: null removes a key, a null patch all.
func MergeMetadata(old map[string]string, patch *map[string]*string) map[string]string {
	merged := map[string]string{}
	if patch == nil {
		return merged
	}
	maps.Copy(merged, old)
	for k, v := range *patch {
		if v == nil {
			delete(merged, k)
		} else {
			merged[k] = *v
		}
	}
	return merged
}
