package pdf

import (
	"fmt"
	"strings"
)

// element is a part of the structure of the document, such as a paragraph or a
// cell of a table. Screen readers use it.
type element struct {
	tag   string
	kids  []*element
	marks []mark // where its content is
	ref   ref
}

// mark is a marked sequence in the content of a page.
type mark struct{ page, id int }

// child adds an element inside of another.
func (e *element) child(tag string) *element {
	kid := &element{tag: tag}
	e.kids = append(e.kids, kid)
	return kid
}

// writeElements adds an element and those inside of it. It returns the elements of
// the marks of each page. pages are the page objects.
func writeElements(f *file, e *element, parent ref, pages []ref) [][]ref {
	parents := make([][]ref, len(pages))
	var write func(e *element, parent ref)
	write = func(e *element, parent ref) {
		e.ref = f.reserve()
		var kids strings.Builder
		for _, m := range e.marks {
			fmt.Fprintf(&kids, "<</Type/MCR/Pg %s/MCID %d>>", pages[m.page], m.id)
			for len(parents[m.page]) <= m.id {
				parents[m.page] = append(parents[m.page], e.ref)
			}
			parents[m.page][m.id] = e.ref
		}
		for _, kid := range e.kids {
			write(kid, e.ref)
			kids.WriteString(" " + kid.ref.String())
		}
		scope := ""
		if e.tag == "TH" {
			scope = "/A<</O/Table/Scope/Column>>"
		}
		f.set(e.ref, "<</Type/StructElem/S/%s/P %s/K[%s]%s>>", e.tag, parent, kids.String(), scope)
	}
	write(e, parent)
	return parents
}

// numberTree lists the elements of the marks of each page. key is the number of the
// first page.
func numberTree(parents [][]ref, key int) string {
	var b strings.Builder
	for i, refs := range parents {
		fmt.Fprintf(&b, "%d[%s]", key+i, list(refs))
	}
	return b.String()
}

func list(refs []ref) string {
	all := make([]string, len(refs))
	for i, r := range refs {
		all[i] = r.String()
	}
	return strings.Join(all, " ")
}
