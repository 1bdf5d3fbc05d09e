package templates

import (
	"testing"

	"slipway/internal/consent"
	"slipway/internal/testkit/assert"
)

func TestRender(t *testing.T) {
	v := Values{FirstName: "Ann", Dealership: "Acme Marine", LastName: "Bell\nBcc: x"}
	for text, want := range map[string]string{
		"Hi {first_name|there}!":                    "Hi Ann!",
		"About {boat|the boat you asked about}":     "About the boat you asked about",
		"{dealership}: {last_name|customer}":        "Acme Marine: Bell Bcc: x",
		"Two: {first_name|there} {first_name|you}.": "Two: Ann Ann.",
		"Nothing": "Nothing",
	} {
		assert.Equal(t, v.Render(text), want)
	}
	assert.Equal(t, Values{FirstName: "{boat|x}"}.Render("{first_name|there}"), "{boat|x}")
}

func TestPlaces(t *testing.T) {
	for text, ok := range map[string]bool{
		"Hi {first_name|there}": true, "{dealership}": true, "Plain": true,
		"Hi {first_name}": false, "Hi {first_name|}": false, "{price|x}": false, "{first_name": false, "first_name}": false, "{{first_name|x}}": false, " ": false,
	} {
		err := MessageTemplate{Channel: consent.SMS, Body: text}.check()
		if (err == nil) != ok {
			t.Errorf("%q: got %v, want it allowed: %t", text, err, ok)
		}
	}
}
