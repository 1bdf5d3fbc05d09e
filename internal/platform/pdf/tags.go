package pdf

import (
	"fmt"
	"strings"
)

// element is a part of the structure of the document, such as a paragraph or a
// cell of a table. Screen readers use it.
type element struct {
	tag   string
	alt   string // what an image shows
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

// writeTags adds the structure to the file and returns its root. pages are the
// page objects.
func writeTags(f *file, document *element, pages []ref) ref {
	root := f.reserve()
	parents := make([][]ref, len(pages)) // the elements of the marks of each page
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

		attributes := ""
		switch {
		case e.tag == "TH":
			attributes = "/A<</O/Table/Scope/Column>>"
		case e.alt != "":
			attributes = "/Alt" + textString(e.alt)
		}
		f.set(e.ref, "<</Type/StructElem/S/%s/P %s/K[%s]%s>>", e.tag, parent, kids.String(), attributes)
	}
	write(document, root)

	var tree strings.Builder
	for i, refs := range parents {
		fmt.Fprintf(&tree, "%d[", i)
		for _, r := range refs {
			tree.WriteString(r.String() + " ")
		}
		tree.WriteString("]")
	}
	parentTree := f.add("<</Nums[%s]>>", tree.String())
	f.set(root, "<</Type/StructTreeRoot/K %s/ParentTree %s/ParentTreeNextKey %d>>", document.ref, parentTree, len(pages))
	return root
}
