package cli

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

func apiFlags() []flagSpec {
	return append([]flagSpec{
		{name: "data", short: "d", value: "JSON", help: "Body as JSON, @FILE, or - for stdin."},
		{name: "header", short: "H", value: "NAME:VALUE", help: "Header to send. You can repeat it."},
		{name: "idempotency-key", value: "UUID", help: "Send the same key again to retry safely. Defaults to a new one."},
		{name: "yes", help: "Don't ask before changing live data."},
	}, connectFlags()...)
}

// runAPI sends any request.
func runAPI(ctx context.Context, s *Session, args []string) error {
	const command = "slipway api"
	p, err := parseFlags(args, apiFlags(), command)
	if err != nil {
		return err
	}
	if p.has("help") {
		return helpPage{
			usage: command + " <method> <path> [flags]", summary: "Send a request to the API.", text: []string{"Prints the response."},
			flags: apiFlags(), common: outputAndServer,
			examples: []string{command + " GET '/v1/hulls?make=Grady-White'", command + " POST /v1/leads -d @lead.json"},
		}.print(s.Out)
	}
	if len(p.args) != 2 {
		return &UsageError{"expected \"<method> <path>\"", command}
	}
	verb, path := strings.ToUpper(p.args[0]), p.args[1]
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, verb) || !strings.HasPrefix(path, "/") {
		return &UsageError{fmt.Sprintf("%q is not a method and a path, such as GET /v1/hulls", strings.Join(p.args, " ")), command}
	}

	out, err := newPrinter(s, p, command)
	if err != nil {
		return err
	}
	client, err := s.connect(p)
	if err != nil {
		return err
	}
	out.client = client
	r := Request{Verb: verb, Path: path, Header: http.Header{}}
	for _, h := range p.flags["header"] {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return &UsageError{"--header must be NAME:VALUE", command}
		}
		r.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if p.has("idempotency-key") {
		r.Header.Set("Idempotency-Key", p.last("idempotency-key"))
	}
	if p.has("data") {
		if r.JSON, err = readData(s.In, p.last("data")); err != nil {
			return err
		}
	}
	if verb != "GET" {
		if err := s.confirm(client, verb+" "+path, p.isOn("yes"), command); err != nil {
			return err
		}
	}

	res, err := client.Send(ctx, r)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		_, err = s.Out.Write(res.Text)
		return err
	}
	if !p.has("output") {
		out.format = "json"
	}
	if strings.Contains(string(res.Text[:min(len(res.Text), 20)]), `{"data":[`) {
		return out.page(ctx, res.Text)
	}
	return out.object(ctx, res.Text)
}
