package app

import (
	"bytes"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestLogLevels(t *testing.T) {
	for setting, want := range map[string]string{
		"info":                         "info info.webhooks",
		"debug":                        "debug info debug.webhooks info.webhooks",
		"warn,webhooks=debug":          "debug.webhooks info.webhooks",
		"info, webhooks=error":         "info",
		"error,jobs=info":              "",
		"debug,webhooks=warn,sso=info": "debug info",
	} {
		var out bytes.Buffer
		log := NewLogger(Settings{LogLevel: setting, LogFormat: "json"}, &out, true)
		part := (&App{log: log}).logger("webhooks")
		log.Debug("debug")
		log.Info("info")
		part.Debug("debug.webhooks")
		part.With("more", 1).Info("info.webhooks")
		var got []string
		for _, m := range regexp.MustCompile(`"msg":"([^"]+)"`).FindAllStringSubmatch(out.String(), -1) {
			got = append(got, m[1])
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: logged %q, expected %q", setting, text, want)
		}
	}
	for _, setting := range []string{"loud", "info,mail=debug", "webhooks=", "=info"} {
		if _, err := parseLevels(setting); err == nil {
			t.Errorf("%s: got no error, expected one", setting)
		}
	}
}

// People get text, and programs get JSON, unless the setting says otherwise.
func TestLogFormat(t *testing.T) {
	for _, c := range []struct {
		format   string
		terminal bool
		want     string
	}{
		{"", true, "level=INFO msg=hello ms=1.5\n"}, {"", false, `"msg":"hello"`},
		{"json", true, `"msg":"hello"`}, {"text", false, "level=INFO msg=hello"},
	} {
		var out bytes.Buffer
		NewLogger(Settings{LogFormat: c.format}, &out, c.terminal).Info("hello", slog.Float64("ms", 1.4999))
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("format %q on a terminal %t: got %s, expected it to contain %s", c.format, c.terminal, out.String(), c.want)
		}
	}
}

// Each part that has a log can have a level, and is in the documentation.
func TestLoggersAreListed(t *testing.T) {
	var used []string
	for _, file := range []string{"app.go", "features.go", "../identity/identity_api.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?:a\.logger|c\.Log)\("(\w+)"\)`).FindAllStringSubmatch(string(source), -1) {
			used = append(used, m[1])
		}
	}
	slices.Sort(used)
	if used = slices.Compact(used); !slices.Equal(used, loggers) {
		t.Errorf("the parts %v have a log, but %v can have a level", used, loggers)
	}
	docs, err := os.ReadFile("../../docs/monitor.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range loggers {
		if !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("docs/monitor.md doesn't mention %s", name)
		}
	}
}
