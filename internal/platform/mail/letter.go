package mail

import (
	"context"
	_ "embed"
	"html/template"
	"regexp"
	"strings"
)

// Letter is the content of an email. It is rendered as text and as HTML.
type Letter struct {
	Brand     string // who sends it
	Logo      []byte // PNG, or nil to show the brand as text
	Body      string // paragraphs, separated by empty lines
	Button    Button
	After     string // paragraphs after the button
	Lists     []List // between the body and the button
	Manage    Button // a link in the footer, such as to the settings of the email
	Boat      *Boat
	Signature []string // lines; the first one is the name
	Footer    []string // lines
	// Unsubscribe is the link to unsubscribe, or "" for none.
	Unsubscribe string
}

// Button is a link that the reader should open.
type Button struct{ Label, URL string }

// List is a list of links with a title. More is a link to what it leaves out.
type List struct {
	Title string
	Items []Item
	More  Button
}

// Item is one line of a list. Note is smaller.
type Item struct{ Text, Note, URL string }

// Boat is what the email is about.
type Boat struct {
	Title   string
	Details []string // lines, such as the price
	Photo   []byte   // JPEG, or nil
	URL     string   // of its page, or ""
}

//go:embed letter.html
var letterHTML string

var letterTemplate = template.Must(template.New("letter").Parse(letterHTML))

// Write renders the letter into a message.
func (l Letter) Write(m *Message) error {
	data := struct {
		Letter
		Button, Manage        *Button
		BodyLines, AfterLines [][][]span
	}{l, nil, nil, paragraphs(l.Body), paragraphs(l.After)}
	if l.Button.URL != "" {
		data.Button = &l.Button
	}
	if l.Manage.URL != "" {
		data.Manage = &l.Manage
	}
	var b strings.Builder
	if err := letterTemplate.Execute(&b, data); err != nil {
		return err
	}
	m.Text, m.HTML, m.Unsubscribe = l.text(), b.String(), l.Unsubscribe

	if l.Logo != nil {
		m.Images = append(m.Images, Image{"logo", "image/png", l.Logo})
	}
	if l.Boat != nil && l.Boat.Photo != nil {
		m.Images = append(m.Images, Image{"boat", "image/jpeg", l.Boat.Photo})
	}
	return nil
}

// SendLetter sends a message with this letter. If it might have been sent, the job must not
// send it again: the user can ask for another one.
func SendLetter(ctx context.Context, sender Sender, m Message, l Letter) error {
	if err := l.Write(&m); err != nil {
		return err
	}
	err := sender.Send(ctx, m)
	if IsUnanswered(err) {
		return &Unsure{err}
	}
	return err
}

// Unsure is the error of a letter that might have been sent.
type Unsure struct{ Err error }

func (u *Unsure) Error() string { return "the email might have been sent: " + u.Err.Error() }

func (u *Unsure) Unwrap() error { return u.Err }

// DontRetry ends the job. See package jobs.
func (*Unsure) DontRetry() {}

// text returns the letter as plain text.
func (l Letter) text() string {
	parts := []string{normalize(l.Body)}
	for _, list := range l.Lists {
		parts = append(parts, list.text())
	}
	if l.Button.URL != "" {
		parts = append(parts, l.Button.Label+":\n"+l.Button.URL)
	}
	if l.After != "" {
		parts = append(parts, normalize(l.After))
	}
	if l.Boat != nil {
		lines := append([]string{l.Boat.Title}, l.Boat.Details...)
		if l.Boat.URL != "" {
			lines = append(lines, l.Boat.URL)
		}
		parts = append(parts, strings.Join(lines, "\n"))
	}
	end := l.Signature
	if l.Unsubscribe != "" || len(l.Footer) > 0 {
		if len(end) > 0 {
			end = append(end[:len(end):len(end)], "")
		}
		end = append(end[:len(end):len(end)], l.Footer...)
	}
	if l.Manage.URL != "" {
		end = append(end[:len(end):len(end)], l.Manage.Label+": "+l.Manage.URL)
	}
	if l.Unsubscribe != "" {
		end = append(end[:len(end):len(end)], "Unsubscribe: "+l.Unsubscribe)
	}
	if len(end) > 0 {
		parts = append(parts, "-- \n"+strings.Join(end, "\n"))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// text returns the list as plain text.
func (l List) text() string {
	lines := []string{l.Title + ":"}
	for _, i := range l.Items {
		line := "* " + i.Text
		if i.Note != "" {
			line += " (" + i.Note + ")"
		}
		lines = append(lines, line, "  "+i.URL)
	}
	if l.More.URL != "" {
		lines = append(lines, l.More.Label+": "+l.More.URL)
	}
	return strings.Join(lines, "\n")
}

func normalize(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
}

// span is a part of a line. It is a link if it has a URL.
type span struct{ Text, URL string }

// paragraphs splits a text into paragraphs, lines and links.
func paragraphs(text string) (all [][][]span) {
	if text = normalize(text); text == "" {
		return nil
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var lines [][]span
		for line := range strings.SplitSeq(strings.Trim(paragraph, "\n"), "\n") {
			lines = append(lines, spans(line))
		}
		all = append(all, lines)
	}
	return all
}

// link matches a URL, without the punctuation after it.
var link = regexp.MustCompile(`https?://[^\s<>"]*[^\s<>".,;:!?)\]']`)

func spans(line string) (all []span) {
	at := 0
	for _, found := range link.FindAllStringIndex(line, -1) {
		url := line[found[0]:found[1]]
		all = append(all, span{Text: line[at:found[0]]}, span{url, url})
		at = found[1]
	}
	return append(all, span{Text: line[at:]})
}
