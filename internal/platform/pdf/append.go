package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Append returns a PDF with more pages at its end. The file starts with the bytes of
// the original, so everyone can check that it did not change.
func Append(original []byte, h Head, write func(p *Page)) ([]byte, error) {
	p, err := draw(h, "S", write) // some readers confuse fonts with the same name
	if err != nil {
		return nil, err
	}
	old, err := parse(original)
	if err != nil {
		return nil, fmt.Errorf("append to %s: %w", h.ID, err)
	}

	f := &file{base: old.size - 1}
	pages := p.canvas.writePages(f, ref(old.pages), old.nextKey)
	changed := map[int]string{old.pages: old.withPages(pages)}
	if old.root != 0 {
		parents := writeElements(f, p.document, ref(old.root), pages)
		changed[old.parentTree] = fmt.Sprintf("<</Nums[%s%s]>>", old.nums, numberTree(parents, old.nextKey))
		changed[old.root] = fmt.Sprintf("<</Type/StructTreeRoot/K[%s %s]/ParentTree %d 0 R/ParentTreeNextKey %d>>",
			old.elements, p.document.ref, old.parentTree, old.nextKey+len(pages))
	}
	return f.update(original, old, changed), nil
}

// parsed is what Append needs of a file.
type parsed struct {
	size, catalog, info, start int
	pages                      int
	tree                       string // the object pages

	// Its structure. Documents of earlier versions have none.
	root, parentTree, nextKey int
	elements, nums            string
}

var (
	startPattern = regexp.MustCompile(`startxref\s+(\d+)\s+%%EOF\s*$`)
	kidsPattern  = regexp.MustCompile(`/Kids\s*\[([^\]]*)\]`)
	countPattern = regexp.MustCompile(`/Count\s+\d+`)
	rootPattern  = regexp.MustCompile(`/K\[([^\]]*)\]/ParentTree (\d+) 0 R/ParentTreeNextKey (\d+)`)
)

// parse reads a file of this package, or of the library that it replaced.
func parse(file []byte) (p parsed, err error) {
	bad := errors.New("the file has another structure")
	m := startPattern.FindSubmatch(file)
	at := bytes.LastIndex(file, []byte("trailer"))
	if m == nil || at < 0 {
		return p, bad
	}
	p.start, _ = strconv.Atoi(string(m[1]))
	trailer := string(file[at:])
	p.size, p.catalog, p.info = entry(trailer, "Size"), entry(trailer, "Root"), entry(trailer, "Info")
	catalog := object(file, p, p.catalog)
	p.pages = entry(catalog, "Pages")
	if p.tree = object(file, p, p.pages); !kidsPattern.MatchString(p.tree) || !countPattern.MatchString(p.tree) {
		return p, bad
	}

	if p.root = entry(catalog, "StructTreeRoot"); p.root == 0 {
		return p, nil
	}
	root := rootPattern.FindStringSubmatch(object(file, p, p.root))
	if root == nil {
		return p, bad
	}
	p.elements = root[1]
	p.parentTree, _ = strconv.Atoi(root[2])
	p.nextKey, _ = strconv.Atoi(root[3])
	p.nums = strings.TrimSuffix(strings.TrimPrefix(object(file, p, p.parentTree), "<</Nums["), "]>>")
	return p, nil
}

// withPages returns the list of pages with more of them. The pages can inherit its
// other entries.
func (p parsed) withPages(more []ref) string {
	count := fmt.Sprintf("/Count %d", entry(p.tree, "Count")+len(more))
	return kidsPattern.ReplaceAllString(countPattern.ReplaceAllString(p.tree, count), "/Kids[$1 "+list(more)+"]")
}

// entry returns the number of an entry of a dictionary, or 0.
func entry(dict, name string) int {
	m := regexp.MustCompile(`/` + name + `\s+(\d+)`).FindStringSubmatch(dict)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// object returns the text of an object, or "" if there is none.
func object(file []byte, p parsed, number int) string {
	head := fmt.Sprintf("xref\n0 %d\n", p.size)
	at := p.start + len(head) + 20*number
	if number <= 0 || number >= p.size || at+10 > len(file) || !bytes.HasPrefix(file[p.start:], []byte(head)) {
		return ""
	}
	offset, err := strconv.Atoi(string(file[at : at+10]))
	if err != nil || offset > len(file) {
		return ""
	}
	text, _, _ := strings.Cut(string(file[offset:]), "\nendobj")
	_, text, _ = strings.Cut(text, " obj\n")
	return text
}

// update returns the original with the objects and the changed objects after it.
func (f *file) update(original []byte, old parsed, changed map[int]string) []byte {
	b := bytes.NewBuffer(bytes.Clone(original))
	var table bytes.Buffer
	write := func(number int, content []byte) {
		fmt.Fprintf(&table, "%d 1\n%010d 00000 n \n", number, b.Len())
		fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", number, content)
	}
	for _, number := range []int{old.pages, old.root, old.parentTree} {
		if content, ok := changed[number]; ok {
			write(number, []byte(content))
		}
	}
	for i, content := range f.objects {
		write(f.base+i+1, content)
	}
	start := b.Len()
	fmt.Fprintf(b, "xref\n%strailer\n<</Size %d/Root %d 0 R/Info %d 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n",
		table.Bytes(), f.base+len(f.objects)+1, old.catalog, old.info, old.start, start)
	return b.Bytes()
}
