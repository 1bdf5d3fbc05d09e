package saml

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/beevik/etree"
	roundtrip "github.com/mattermost/xml-roundtrip-validator"
)

// Limits of a document. They apply before and after decompression and decryption.
const (
	maxXML        = 1 << 20
	maxDepth      = 40
	maxElements   = 10_000
	maxAttributes = 40 // of one element
)

const (
	nsProtocol   = "urn:oasis:names:tc:SAML:2.0:protocol"
	nsAssertion  = "urn:oasis:names:tc:SAML:2.0:assertion"
	nsMetadata   = "urn:oasis:names:tc:SAML:2.0:metadata"
	nsSignature  = "http://www.w3.org/2000/09/xmldsig#"
	nsEncryption = "http://www.w3.org/2001/04/xmlenc#"
	nsEncrypt11  = "http://www.w3.org/2009/xmlenc11#"
)

// decodeBase64 decodes the value of a form field or a query parameter.
func decodeBase64(value string) ([]byte, error) {
	if len(value) > base64.StdEncoding.EncodedLen(maxXML)+maxXML/16 {
		return nil, refuse(CodeTooLarge, "The message is larger than 1 MiB. Send fewer attributes or groups.")
	}

	// Some providers break the lines or indent them.
	value = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, value)
	raw, err := base64.StdEncoding.Strict().DecodeString(value)
	if err != nil {
		return nil, refuseCause(err, CodeMalformed, "The message is not valid Base64.")
	}
	return raw, nil
}

// parse reads a message. It refuses everything in XML that SAML doesn't need and
// that parsers understand differently, and comments, because they split texts.
func parse(raw []byte) (*etree.Element, error) { return parseXML(raw, false) }

func parseXML(raw []byte, comments bool) (*etree.Element, error) {
	if len(raw) > maxXML {
		return nil, refuse(CodeTooLarge, "The XML is larger than 1 MiB. Send fewer attributes or groups.")
	}
	if !utf8.Valid(raw) {
		return nil, refuse(CodeMalformed, "The XML is not valid UTF-8.")
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if err := scan(raw, comments); err != nil {
		return nil, err
	}

	// encoding/xml reads some documents differently than it writes them. Attackers
	// use this to show the signature check another document than the reader.
	if err := roundtrip.Validate(bytes.NewReader(raw)); err != nil {
		return nil, refuseCause(err, CodeMalformed, "The XML is ambiguous. It has names or namespaces that parsers read differently.")
	}
	doc := etree.NewDocument()
	doc.ReadSettings.MaxDepth = maxDepth + 1
	doc.ReadSettings.PreserveDuplicateAttrs = true
	if err := doc.ReadFromBytes(raw); err != nil || doc.Root() == nil {
		return nil, refuseCause(err, CodeMalformed, "The message is not well-formed XML.")
	}
	return doc.Root(), nil
}

// scan checks the limits and the tokens of a document without building a tree.
func scan(raw []byte, comments bool) error {
	d := xml.NewDecoder(bytes.NewReader(raw))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) {
		return nil, errors.New("only UTF-8 is supported")
	}

	depth, elements := 0, 0
	for first := true; ; first = false {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuseCause(err, CodeMalformed, "The message is not well-formed XML, or it uses entities.")
		}

		switch t := token.(type) {
		case xml.StartElement:
			if depth == 0 && elements > 0 {
				return refuse(CodeMalformed, "The XML has more than one root element.")
			}
			depth++
			elements++
			if depth > maxDepth || elements > maxElements || len(t.Attr) > maxAttributes {
				return refuse(CodeTooLarge, "The XML has too many elements or levels. Send fewer attributes or groups.")
			}
			if err := checkAttributes(t.Attr); err != nil {
				return err
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && len(bytes.TrimSpace(t)) > 0 {
				return refuse(CodeMalformed, "The XML has text outside its root element.")
			}
		case xml.Directive:
			return refuse(CodeForbiddenXML, "The XML has a DTD. DTDs and entities are not accepted.")
		case xml.ProcInst:
			if !first || t.Target != "xml" {
				return refuse(CodeForbiddenXML, "The XML has a processing instruction. Processing instructions are not accepted.")
			}
		case xml.Comment:
			if !comments {
				return refuse(CodeForbiddenXML, "The XML has a comment. Comments are not accepted.")
			}
		}
	}

	if elements == 0 {
		return refuse(CodeMalformed, "The message is not XML.")
	}
	return nil
}

// checkAttributes refuses two attributes with one name. It also refuses prefixed
// attributes named ID: goxmldsig ignores the prefix when it looks for the ID.
func checkAttributes(attributes []xml.Attr) error {
	seen := make(map[xml.Name]bool, len(attributes))
	for _, a := range attributes {
		if seen[a.Name] {
			return refuse(CodeMalformed, "The XML has the attribute %s twice on one element.", shown(a.Name.Local))
		}
		seen[a.Name] = true
		if a.Name.Space != "" && a.Name.Space != "xmlns" && strings.EqualFold(a.Name.Local, "id") {
			return refuse(CodeStructure, "The XML has an ID attribute in a namespace. Such attributes are not accepted.")
		}
	}
	return nil
}

// is reports whether an element has a name in a namespace.
func is(el *etree.Element, space, tag string) bool {
	return el != nil && el.Tag == tag && el.NamespaceURI() == space
}

func children(el *etree.Element, space, tag string) (found []*etree.Element) {
	for _, child := range el.ChildElements() {
		if is(child, space, tag) {
			found = append(found, child)
		}
	}
	return found
}

// optional returns the child with a name, nil if there is none, and a fault if there are several.
func optional(el *etree.Element, space, tag string) (*etree.Element, error) {
	found := children(el, space, tag)
	if len(found) > 1 {
		return nil, refuse(CodeStructure, "%s has %d %s elements. Only one is accepted.", shown(el.Tag), len(found), tag)
	}
	if len(found) == 0 {
		return nil, nil //nolint:nilnil // the element is optional
	}
	return found[0], nil
}

func required(el *etree.Element, space, tag string) (*etree.Element, error) {
	child, err := optional(el, space, tag)
	if err == nil && child == nil {
		err = refuse(CodeStructure, "%s has no %s element.", shown(el.Tag), tag)
	}
	return child, err
}

// attribute returns an attribute without a prefix.
func attribute(el *etree.Element, name string) string {
	for _, a := range el.Attr {
		if a.Space == "" && a.Key == name {
			return a.Value
		}
	}
	return ""
}

// text returns the whole text of an element. An element in the text is refused,
// because readers disagree on which part of the text counts.
func text(el *etree.Element) (string, error) {
	var b strings.Builder
	for _, child := range el.Child {
		data, ok := child.(*etree.CharData)
		if !ok {
			return "", refuse(CodeStructure, "%s contains other elements. It must contain only text.", shown(el.Tag))
		}
		b.WriteString(data.Data)
	}
	return b.String(), nil
}

// walk calls visit for an element and all elements in it.
func walk(el *etree.Element, visit func(*etree.Element) error) error {
	if err := visit(el); err != nil {
		return err
	}
	for _, child := range el.ChildElements() {
		if err := walk(child, visit); err != nil {
			return err
		}
	}
	return nil
}

// checkStructure refuses the documents that signature wrapping needs: a second
// message, assertion or signature anywhere, or two elements with one ID. The names
// count in every namespace, because an attacker chooses the namespace too.
func checkStructure(root *etree.Element) error {
	ids := map[string]bool{}
	return walk(root, func(el *etree.Element) error {
		for _, a := range el.Attr {
			if a.Space == "" && strings.EqualFold(a.Key, "id") {
				if ids[a.Value] {
					return refuse(CodeStructure, "Two elements have the ID %s. IDs must be unique.", shown(a.Value))
				}
				ids[a.Value] = true
			}
		}
		if el == root {
			return nil
		}

		parent := el.Parent()
		switch el.Tag {
		case "Response", "LogoutRequest", "LogoutResponse", "AuthnRequest", "ArtifactResponse":
			return refuse(CodeStructure, "The message contains another message.")
		case "Assertion", "EncryptedAssertion":
			if parent != root || !is(root, nsProtocol, "Response") || el.NamespaceURI() != nsAssertion {
				return refuse(CodeStructure, "The message has an assertion in the wrong place.")
			}
		case "Signature":
			if el.NamespaceURI() != nsSignature || parent != root && (!is(parent, nsAssertion, "Assertion") || parent.Parent() != root) {
				return refuse(CodeStructure, "The message has a signature in the wrong place.")
			}
		}
		return nil
	})
}
