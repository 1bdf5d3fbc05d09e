package description

import (
	"context"
	"testing"

	"slipway/internal/platform/db"
	"slipway/internal/platform/rest"
	"slipway/internal/testkit/assert"
	"slipway/internal/vocab/auth"
	"slipway/internal/vocab/enum"
)

type Letter struct {
	Channel string  `json:"channel" enum:"sms,email" doc:"How to send it."`
	Subject *string `json:"subject" required:"false" doc:"Of an email."`
	Body    string  `json:"body"`
}

var _ = enum.Variants[Letter]("channel",
	enum.Variant{Value: "sms", Name: "TextLetter", Doc: "A text message to send."},
	enum.Variant{Value: "email", Name: "EmailLetter", Doc: "An email to send.", Sets: []string{"subject"}},
)

type mailbox struct{}

func (mailbox) Mount(r *rest.Router) {
	rest.PostOK(r, rest.Route{
		Path: "/messages", ID: "send", Needs: auth.AnyCredential,
		Summary: "Send",
	}, func(context.Context, *db.Tx, *struct{ Body Letter }) (rest.None, error) {
		return rest.None{}, nil
	})
}

// A schema with variants becomes a union. Each variant has its own value, and only
// the properties of that variant can be set.
func TestUniteVariants(t *testing.T) {
	schemas := Of(rest.New(rest.Config{}, mailbox{})).Stable().Components.Schemas.Map()

	for name, want := range map[string]string{
		"Letter": `{"discriminator":{"mapping":{"email":"#/components/schemas/EmailLetter","sms":"#/components/schemas/TextLetter"},` +
			`"propertyName":"channel"},"oneOf":[{"$ref":"#/components/schemas/TextLetter"},{"$ref":"#/components/schemas/EmailLetter"}]}`,
		"EmailLetter": `{"additionalProperties":false,"description":"An email to send.","properties":{"body":{"type":"string"},` +
			`"channel":{"const":"email","description":"How to send it.","type":"string"},` +
			`"subject":{"description":"Of an email.","type":"string"}},"required":["body","channel","subject"],"type":"object"}`,
		"TextLetter": `{"additionalProperties":false,"description":"A text message to send.","properties":{"body":{"type":"string"},` +
			`"channel":{"const":"sms","description":"How to send it.","type":"string"},` +
			`"subject":{"description":"Of an email.","type":"null"}},"required":["body","channel"],"type":"object"}`,
	} {
		assert.Equal(t, text(t, schemas[name]), want, name)
	}
}
