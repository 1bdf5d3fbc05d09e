package app

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// loggers are the parts of the service with their own log level.
var loggers = []string{"clilogin", "dealership", "jobs", "mcp", "messages", "oauth", "people", "requests", "scim", "signin", "sso", "storefront", "traces", "webhooks"}

// logLevels are the level of the log, and those of parts of the service.
type logLevels struct {
	level slog.Level
	parts map[string]slog.Level
}

// parseLevels reads a setting such as info or warn,webhooks=debug.
func parseLevels(setting string) (l logLevels, err error) {
	l.parts = map[string]slog.Level{}
	for entry := range strings.SplitSeq(setting, ",") {
		name, text, isPart := strings.Cut(strings.TrimSpace(entry), "=")
		if !isPart {
			name, text = "", name
		}
		var level slog.Level
		if !slices.Contains([]string{"debug", "info", "warn", "error"}, text) || level.UnmarshalText([]byte(text)) != nil {
			return l, fmt.Errorf("%q is not a level; use debug, info, warn or error", text)
		}
		switch {
		case !isPart:
			l.level = level
		case !slices.Contains(loggers, name):
			return l, fmt.Errorf("%q is not a part of the log; use %s", name, strings.Join(loggers, ", "))
		default:
			l.parts[name] = level
		}
	}
	return l, nil
}

// lowest returns the level that at least one part logs.
func (l logLevels) lowest() slog.Level {
	return slices.Min(append(slices.Collect(maps.Values(l.parts)), l.level))
}

// NewLogger returns the log of the service. Terminal says whether out is one: unless a
// format is set, people get text and programs get JSON.
func NewLogger(s Settings, out io.Writer, terminal bool) *slog.Logger {
	levels, err := parseLevels(cmp.Or(s.LogLevel, "info"))
	if err != nil {
		levels = logLevels{} // Check reports it
	}
	options := &slog.HandlerOptions{Level: levels.lowest()}
	var h slog.Handler = slog.NewJSONHandler(out, options)
	if s.LogFormat == "text" || s.LogFormat == "" && terminal {
		h = slog.NewTextHandler(out, forPeople(options))
	}
	return slog.New(partHandler{Handler: h, levels: levels})
}

// forPeople shortens times and durations.
func forPeople(o *slog.HandlerOptions) *slog.HandlerOptions {
	o.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.String(a.Key, a.Value.Time().Format(time.TimeOnly))
		}
		if a.Value.Kind() == slog.KindFloat64 {
			return slog.String(a.Key, strconv.FormatFloat(a.Value.Float64(), 'f', 1, 64))
		}
		return a
	}
	return o
}

// partHandler drops records below the level of its part.
type partHandler struct {
	slog.Handler
	levels logLevels
	part   string
}

// partKey is the attribute that names the part.
const partKey = "part"

// logger returns the log of a part of the service.
func (a *App) logger(part string) *slog.Logger {
	return a.log.With(partKey, part)
}

// Enabled compares a level with that of the part.
func (h partHandler) Enabled(_ context.Context, level slog.Level) bool {
	least, ok := h.levels.parts[h.part]
	if !ok {
		least = h.levels.level
	}
	return level >= least
}

// WithAttrs remembers the part.
func (h partHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	part := h.part
	for _, a := range attrs {
		if a.Key == partKey {
			part = a.Value.String()
		}
	}
	return partHandler{h.Handler.WithAttrs(attrs), h.levels, cmp.Or(part, h.part)}
}

// WithGroup keeps the level of the part.
func (h partHandler) WithGroup(name string) slog.Handler {
	return partHandler{h.Handler.WithGroup(name), h.levels, h.part}
}
