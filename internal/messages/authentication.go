package messages

import (
	"strings"

	"slipway/internal/consent"
	"slipway/internal/vocab/enum"
	"slipway/internal/vocab/fault"
)

// authResult is the result of one check of an email's sender.
type authResult string

const (
	passed    authResult = "pass"
	failed    authResult = "fail"
	unchecked authResult = "none"
)

var authResults = enum.Of("AuthenticationResult", "Result of a check of an email's sender. none means that the check was not possible.",
	passed, failed, unchecked)

func (authResult) TransformSchema(_ enum.Registry, s *enum.Schema) *enum.Schema {
	return authResults.Describe(s)
}

// EmailAuthentication is what the provider found out about the sender of an email.
type EmailAuthentication struct {
	_ struct{} `doc:"What your mail provider found out about the sender of an email." nullable:"true"`

	SPF   authResult `json:"spf,omitempty" default:"none" doc:"Whether the server that sent the email can send for the domain of the envelope."`
	DKIM  authResult `json:"dkim,omitempty" default:"none" doc:"Whether a domain signed the email."`
	DMARC authResult `json:"dmarc,omitempty" default:"none" doc:"Whether one of the two is true for the domain of the sender's address. Only this result verifies the sender."`
}

// normalized returns the results with the known values. Providers also send the other
// results of RFC 8601, such as softfail and temperror.
func (a *EmailAuthentication) normalized() *EmailAuthentication {
	if a == nil {
		return nil
	}
	return &EmailAuthentication{SPF: a.SPF.normalized(), DKIM: a.DKIM.normalized(), DMARC: a.DMARC.normalized()}
}

func (r authResult) normalized() authResult {
	switch strings.ToLower(strings.TrimSpace(string(r))) {
	case "pass":
		return passed
	case "fail", "hardfail", "softfail", "permerror", "policy":
		return failed
	}
	return unchecked
}

// verified reports whether the sender is who the address says. SPF and DKIM alone say
// nothing about the address that people see, and no results prove nothing. It returns
// nil for a text message.
func (a *EmailAuthentication) verified(channel consent.Channel) *bool {
	if channel != consent.Email {
		return nil
	}
	return new(a != nil && a.DMARC == passed)
}

func (a *EmailAuthentication) check(bad *fault.Fields, channel consent.Channel) {
	if a != nil && channel == consent.SMS {
		bad.Add("authentication", "exclusive", "is only allowed for email")
	}
}
