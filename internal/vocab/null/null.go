// Package null converts texts that can be null in the API and in the database.
package null

// Text returns a text, or "" for null.
func Text[T ~string](s *T) T {
	if s == nil {
		return ""
	}
	return *s
}

// String returns a text of any type as a string, or "" for null.
func String[T ~string](s *T) string { return string(Text(s)) }

// From returns a text, or null for "".
func From[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}
