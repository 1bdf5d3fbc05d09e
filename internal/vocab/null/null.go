// Package null converts texts that can be null in the API and in the database.
package null

// Text returns a text, or "" for null.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// From returns a text, or null for "".
func From(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
