package patch

import (
	"maps"

	"slipway/internal/vocab/fault"
)

// CheckMetadata checks the number of keys and the length of keys and values.
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

// MergeMetadata applies a merge patch (RFC 7396). A null value removes a key, and
// a null patch removes all keys.
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
