package saml

import (
	"encoding/xml"
	"slices"
	"strings"
	"time"

	"github.com/beevik/etree"
	saml2 "github.com/russellhaering/gosaml2"
	"github.com/russellhaering/gosaml2/types"
	dsig "github.com/russellhaering/goxmldsig"
)

const maxNameID = 1024

// readAssertion checks a signed assertion and reads it.
func (s Service) readAssertion(el *etree.Element) (Assertion, error) {
	a := Assertion{ID: attribute(el, "ID"), Attributes: map[string][]string{}}
	if version := attribute(el, "Version"); version != "2.0" {
		return a, refuse(CodeStructure, "The assertion has the SAML version %s. It must be 2.0.", shown(version))
	}
	issuer, err := required(el, nsAssertion, "Issuer")
	if err != nil {
		return a, err
	}
	if err := s.checkIssuer(issuer); err != nil {
		return a, err
	}

	if err := s.readConditions(el, &a); err != nil {
		return a, err
	}
	if err := s.readSubject(el, &a); err != nil {
		return a, err
	}
	if err := s.readSession(el, &a); err != nil {
		return a, err
	}
	return a, readAttributes(el, &a)
}

func (s Service) readSubject(el *etree.Element, a *Assertion) error {
	subject, err := required(el, nsAssertion, "Subject")
	if err != nil {
		return err
	}
	if a.NameID, a.NameIDFormat, err = readNameID(subject); err != nil {
		return err
	}
	if a.NameIDFormat == saml2.NameIdFormatTransient {
		return refuse(CodeNameID, "The NameID is transient: it changes with each login, so it can't identify a user. "+
			"In your identity provider, set the NameID format to persistent or to the email address.")
	}

	confirmation, err := required(subject, nsAssertion, "SubjectConfirmation")
	if err != nil {
		return err
	}
	if method := attribute(confirmation, "Method"); method != saml2.SubjMethodBearer {
		return refuse(CodeStructure, "The subject is confirmed with %s. It must be confirmed with bearer.", shown(method))
	}
	data, err := required(confirmation, nsAssertion, "SubjectConfirmationData")
	if err != nil {
		return err
	}
	if recipient := attribute(data, "Recipient"); recipient != s.ACSURL {
		return refuse(CodeRecipient, "The assertion is for the recipient %s. In your identity provider, set the ACS URL (recipient) to %s.",
			shown(recipient), s.ACSURL)
	}
	a.InResponseTo = attribute(data, "InResponseTo")
	return s.checkPeriod(data, a)
}

// readNameID returns the whole text. Space around it is refused and not removed,
// because it could make two users of the provider one user here.
func readNameID(el *etree.Element) (value, format string, err error) {
	if len(children(el, nsAssertion, "EncryptedID")) > 0 {
		return "", "", refuse(CodeNameID, "The NameID is encrypted on its own, which is not supported. "+
			"In your identity provider, turn off NameID encryption. You can encrypt the whole assertion.")
	}
	nameID, err := required(el, nsAssertion, "NameID")
	if err != nil {
		return "", "", err
	}
	value, err = text(nameID)
	if err != nil {
		return "", "", err
	}
	if value == "" || len(value) > maxNameID || value != strings.TrimSpace(value) {
		return "", "", refuse(CodeNameID, "The NameID is empty, too long, or has space around it. "+
			"In your identity provider, choose another attribute for the NameID.")
	}
	return value, attribute(nameID, "Format"), nil
}

// readConditions refuses conditions it doesn't know, as the standard demands.
func (s Service) readConditions(el *etree.Element, a *Assertion) error {
	conditions, err := required(el, nsAssertion, "Conditions")
	if err != nil {
		return err
	}
	if err := s.checkPeriod(conditions, a); err != nil {
		return err
	}

	restrictions := 0
	for _, condition := range conditions.ChildElements() {
		switch {
		case is(condition, nsAssertion, "AudienceRestriction"):
			restrictions++
			if err := s.checkAudience(condition); err != nil {
				return err
			}
		case is(condition, nsAssertion, "OneTimeUse"), is(condition, nsAssertion, "ProxyRestriction"):
		default:
			return refuse(CodeStructure, "The assertion has the unknown condition %s.", shown(condition.Tag))
		}
	}
	if restrictions == 0 {
		return refuse(CodeAudience, "The assertion has no audience. In your identity provider, set the audience (entity ID) to %s.", s.EntityID)
	}
	return nil
}

func (s Service) checkAudience(restriction *etree.Element) error {
	var audiences []string
	for _, el := range children(restriction, nsAssertion, "Audience") {
		audience, err := text(el)
		if err != nil {
			return err
		}
		if strings.TrimSpace(audience) == s.EntityID {
			return nil
		}
		audiences = append(audiences, audience)
	}
	return refuse(CodeAudience, "The response is for the audience %s. In your identity provider, set the audience (entity ID) to %s.",
		shown(strings.Join(audiences, ", ")), s.EntityID)
}

// checkPeriod checks NotBefore and NotOnOrAfter, and shortens ValidUntil.
func (s Service) checkPeriod(el *etree.Element, a *Assertion) error {
	start, err := readTime(el, "NotBefore")
	if err != nil {
		return err
	}
	end, err := readTime(el, "NotOnOrAfter")
	if err != nil {
		return err
	}
	if end.IsZero() {
		return refuse(CodeStructure, "%s has no NotOnOrAfter.", shown(el.Tag))
	}

	now := s.now()
	if now.Add(Skew).Before(start) {
		return refuse(CodeNotYetValid, "The assertion is valid from %s, but it is %s here. Check the clock of the identity provider.",
			start.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if !now.Add(-Skew).Before(end) {
		return refuse(CodeExpired, "The assertion expired at %s, and it is %s here. "+
			"Sign in again. If this happens each time, check the clock of the identity provider.",
			end.Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if until := end.Add(Skew); a.ValidUntil.IsZero() || until.Before(a.ValidUntil) {
		a.ValidUntil = until
	}
	return nil
}

// readTime returns the zero time if the attribute is missing.
func readTime(el *etree.Element, name string) (time.Time, error) {
	value := attribute(el, name)
	if value == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, value)
	if err != nil {
		return time.Time{}, refuseCause(err, CodeMalformed, "%s is not a time: %s.", name, shown(value))
	}
	return t.UTC(), nil
}

// readSession reads how the user signed in at the provider and how long this lasts.
func (s Service) readSession(el *etree.Element, a *Assertion) error {
	statement, err := required(el, nsAssertion, "AuthnStatement")
	if err != nil {
		return err
	}
	a.SessionIndex = attribute(statement, "SessionIndex")
	a.SessionUntil, err = readTime(statement, "SessionNotOnOrAfter")
	if err != nil {
		return err
	}
	if !a.SessionUntil.IsZero() && !s.now().Add(-Skew).Before(a.SessionUntil) {
		return refuse(CodeExpired, "The session at the identity provider ended at %s. Sign in again.", a.SessionUntil.Format(time.RFC3339))
	}
	return nil
}

func readAttributes(el *etree.Element, a *Assertion) error {
	for _, statement := range children(el, nsAssertion, "AttributeStatement") {
		for _, attr := range children(statement, nsAssertion, "Attribute") {
			name := attribute(attr, "Name")
			for _, el := range children(attr, nsAssertion, "AttributeValue") {
				if len(el.ChildElements()) > 0 {
					continue // a value with a structure can't be mapped
				}
				value, err := text(el)
				if err != nil {
					return err
				}
				a.Attributes[name] = append(a.Attributes[name], value)
			}
		}
	}
	return nil
}

// crossCheck lets gosaml2 read and check the same signed element with another
// parser. A difference means that one of the two was misled.
func crossCheck(s Service, signed *etree.Element, a Assertion) error {
	raw, err := etree.NewDocumentWithRoot(signed.Copy()).WriteToBytes()
	if err != nil {
		return refuseCause(err, CodeMalformed, "The assertion can't be written.")
	}
	var other types.Assertion
	if err := xml.Unmarshal(raw, &other); err != nil {
		return refuseCause(err, CodeMalformed, "The assertion doesn't match the schema of SAML.")
	}

	reader := &saml2.SAMLServiceProvider{
		IdentityProviderIssuer:      s.Provider.EntityID,
		AssertionConsumerServiceURL: s.ACSURL,
		AudienceURI:                 s.EntityID,
		Clock:                       dsig.NewFakeClockAt(s.now().Add(-Skew)),
	}
	if other.Issuer != nil {
		other.Issuer.Value = strings.TrimSpace(other.Issuer.Value)
	}
	if err := reader.Validate(&types.Response{
		Version: "2.0", Issuer: &types.Issuer{Value: s.Provider.EntityID},
		Status:     &types.Status{StatusCode: &types.StatusCode{Value: saml2.StatusCodeSuccess}},
		Assertions: []types.Assertion{other},
	}); err != nil {
		return refuseCause(err, CodeStructure, "The assertion is ambiguous.")
	}
	if other.ID != a.ID || other.Subject.NameID == nil || other.Subject.NameID.Value != a.NameID || !sameAttributes(other, a) {
		return refuse(CodeStructure, "The assertion is ambiguous.")
	}
	return nil
}

// sameAttributes compares the texts, in any order.
func sameAttributes(other types.Assertion, a Assertion) bool {
	var ours, theirs []string
	for name, values := range a.Attributes {
		for _, value := range values {
			ours = append(ours, name+"\x00"+value)
		}
	}
	if other.AttributeStatement != nil {
		for _, attr := range other.AttributeStatement.Attributes {
			for _, value := range attr.Values {
				if value.NameID == nil {
					theirs = append(theirs, attr.Name+"\x00"+value.Value)
				}
			}
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	return slices.Equal(ours, theirs)
}
