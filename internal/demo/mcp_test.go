package demo

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// testAssistant starts the program as the configuration in a Markdown file does, with another
// server and key, and calls a tool.
func testAssistant(t *testing.T, file string, handler http.Handler, w Summary, program string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sample := regexp.MustCompile("```json\n(.*mcpServers.*)\n```").FindSubmatch(text)
	if sample == nil {
		t.Fatalf("%s has no sample with mcpServers", file)
	}
	var config struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal(sample[1], &config); err != nil {
		t.Fatal(err)
	}

	web := httptest.NewServer(handler)
	defer web.Close()
	own := map[string]string{"SLIPWAY_BASE_URL": web.URL, "SLIPWAY_KEY": w.TestKey}
	for name, c := range config.Servers {
		cmd := exec.CommandContext(t.Context(), filepath.Join(program, c.Command), c.Args...)
		cmd.Env = []string{"HOME=" + t.TempDir()}
		for variable := range c.Env {
			cmd.Env = append(cmd.Env, variable+"="+own[variable])
		}
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "find_boats", Arguments: map[string]any{"q": "montauk"}})
		if err != nil || res.IsError {
			t.Fatalf("%s: got %v, %v; want boats", name, res, err)
		}
		found, err := json.Marshal(res.StructuredContent)
		if err != nil || !strings.Contains(string(found), "Montauk") {
			t.Errorf("%s: got %s, %v; want a Montauk", name, found, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}
