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

func TestFill(t *testing.T) {
	all := Values{FirstName: "Ann", Boat: "2024 Grady-White Freedom 235", Price: "$124,900", Link: "https://x.example/b"}
	for _, c := range []struct {
		v          Values
		text, want string
		missing    []string
	}{
		{all, "Hi {first_name|there}, the {boat} is {price}. See it at {link}.", "Hi Ann, the 2024 Grady-White Freedom 235 is $124,900. See it at https://x.example/b.", nil},
		{Values{Boat: "Boat"}, "Hi {first_name|there}, the {boat} is still here. It is {price}. See it at {link}!", "Hi there, the Boat is still here.", []string{"link", "price"}},
		{Values{FirstName: "Ann"}, "Hi {first_name|there},\nSee {link}.\n\nBye", "Hi Ann,\nBye", []string{"link"}},
		{Values{FirstName: "Ann"}, "Hi {first_name}. See {link}.\nBye", "Hi Ann.\nBye", []string{"link"}},
		{Values{}, "{photo}", "", []string{"photo"}},
		{Values{}, "v1.5 is out... now", "v1.5 is out... now", nil},
		{Values{FirstName: "{link}"}, "{first_name}", "{link}", nil},
	} {
		got, missing := c.v.Fill(c.text)
		assert.Equal(t, got, c.want)
		assert.Equal(t, len(missing), len(c.missing), c.text, missing)
	}
}
