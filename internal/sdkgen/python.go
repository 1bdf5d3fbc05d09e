package sdkgen

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Python returns the generated files of the Python SDK.
func Python(m *Model) map[string][]byte {
	return map[string][]byte{
		"types_gen.py":          []byte(pyTypes(m)),
		"services_gen.py":       []byte(pyServices(m, false)),
		"async_services_gen.py": []byte(pyServices(m, true)),
	}
}

const pyHeader = "# " + origin + "\n"

func pyTypes(m *Model) string {
	b := &bytes.Buffer{}
	b.WriteString(pyHeader + "\"\"\"The types of the API. Objects are dictionaries.\"\"\"\n\nfrom __future__ import annotations\n\n" +
		"from typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n\nfrom .errors import Detail\n\n")
	fmt.Fprintf(b, "# API version that this SDK was generated for. It requests this version.\nVERSION = %q\n", m.Version)
	for _, e := range m.Enums {
		b.WriteString("\n")
		pyComment(b, "", e.Doc)
		fmt.Fprintf(b, "%s = Literal[%s]\n", e.Name, pyList(e.Values, strconv.Quote))
	}
	for _, s := range m.Structs {
		if s.Name == "Event" {
			s.Name, s.Doc = "EventBase", "What all events have."
		}
		pyStruct(b, s)
	}
	for _, u := range m.Unions {
		b.WriteString("\n\n")
		pyComment(b, "", u.Doc)
		fmt.Fprintf(b, "%s = Union[%s]\n", u.Name, pyList(u.Variants, func(name string) string { return name }))
	}
	pyEvents(b, m)
	return b.String()
}

// pyStruct prints a dictionary. Its required keys are in a class of their own, because Python
// 3.9 has no other way to say that keys are optional.
func pyStruct(b *bytes.Buffer, s Struct) {
	if slices.ContainsFunc(s.Fields, func(f Field) bool { return isPyKeyword(f.Name) }) {
		pyFunctional(b, s)
		return
	}
	required := slices.DeleteFunc(slices.Clone(s.Fields), func(f Field) bool { return !f.Required })
	optional := slices.DeleteFunc(slices.Clone(s.Fields), func(f Field) bool { return f.Required })
	base := "TypedDict"
	if len(required) > 0 && len(optional) > 0 {
		base = "_" + s.Name
		fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n", base)
		pyFields(b, required)
		required = nil
	}
	total := ""
	if len(optional) > 0 {
		total = ", total=False"
	}
	fmt.Fprintf(b, "\n\nclass %s(%s%s):\n", s.Name, base, total)
	pyDoc(b, "    ", s.Doc)
	if len(s.Fields) == 0 {
		b.WriteString("    pass\n")
	}
	pyFields(b, append(required, optional...))
}

// pyFunctional prints a dictionary with a key that is a keyword of Python.
func pyFunctional(b *bytes.Buffer, s Struct) {
	b.WriteString("\n\n")
	pyComment(b, "", s.Doc)
	fmt.Fprintf(b, "%s = TypedDict(%q, {\n", s.Name, s.Name)
	total := ""
	for _, f := range s.Fields {
		if !f.Required {
			total = ", total=False"
		}
		fmt.Fprintf(b, "    %q: %q,\n", f.Name, pyType(f.Type))
	}
	fmt.Fprintf(b, "}%s)\n", total)
}

func pyFields(b *bytes.Buffer, fields []Field) {
	for _, f := range fields {
		pyComment(b, "    ", f.Doc)
		fmt.Fprintf(b, "    %s: %s\n", f.Name, pyType(f.Type))
	}
}

// pyEvents prints a class for each type of event, so that the type says what the object is.
func pyEvents(b *bytes.Buffer, m *Model) {
	var objects, events []string
	for _, e := range m.Events {
		data := "_" + e.Object + "Data"
		if !slices.Contains(objects, e.Object) {
			objects = append(objects, e.Object)
			fmt.Fprintf(b, "\n\nclass %s(TypedDict):\n    object: %s\n    # Old values of the changed fields.\n    previous: Dict[str, Any]\n", data, e.Object)
		}
		name := GoName(e.Type) + "Event"
		events = append(events, name)
		fmt.Fprintf(b, "\n\nclass %s(EventBase):\n", name)
		pyDoc(b, "    ", e.Doc)
		fmt.Fprintf(b, "    type: Literal[%q]\n    data: %s\n", e.Type, data)
	}
	if len(events) > 0 {
		b.WriteString("\n\n# An event. Its type determines the type of its object.\nEvent = Union[" + pyList(events, func(name string) string { return name }) + "]\n")
		var types []string
		for _, e := range m.Events {
			types = append(types, e.Type)
		}
		b.WriteString("\n# A type of event.\nEventType = Literal[" + pyList(types, strconv.Quote) + "]\n")
	}
}

func pyType(t Type) string {
	s := pyBase(t)
	if t.Nullable && s != "Any" && s != "None" {
		return "Optional[" + s + "]"
	}
	return s
}

func pyBase(t Type) string {
	switch t.Kind {
	case String, Time:
		return "str"
	case Integer:
		return "int"
	case Number:
		return "float"
	case Boolean:
		return "bool"
	case Constant:
		return "Literal[" + strconv.Quote(t.Name) + "]"
	case Null:
		return "None"
	case Array:
		return "List[" + pyType(*t.Elem) + "]"
	case Map:
		return "Dict[str, " + pyType(*t.Elem) + "]"
	case Named, Choice:
		return t.Name
	}
	return "Any"
}

func pyServices(m *Model, async bool) string {
	b := &bytes.Buffer{}
	prefix, pager, download := "", "Pager", "Download"
	if async {
		prefix, pager, download = "Async", "AsyncPager", "AsyncDownload"
	}
	b.WriteString(pyHeader + "\"\"\"The operations of the API, by family.\"\"\"\n\nfrom __future__ import annotations\n\n" +
		"from typing import Any, Dict, List, Optional\n\nfrom . import types_gen as t\n")
	fmt.Fprintf(b, "from .client import %sFamily, Options, Upload, fill\nfrom .files import %s\nfrom .pages import %s\n", prefix, download, pager)
	for _, f := range m.Families {
		base, family := prefix+"Family", "/v1"
		if f.Preview {
			family = "/v2-preview"
		}
		fmt.Fprintf(b, "\n\nclass %s%s(%s):\n    \"\"\"Operations of %s.\"\"\"\n\n    prefix = %q\n", prefix, goService(f), base, pyPath(f), family)
		for _, method := range f.Methods {
			pyMethod(b, method, async)
			if method.CSV {
				pyMethod(b, method.asCSV(), async)
			}
		}
	}

	for _, preview := range []bool{true, false} {
		name, doc := prefix+"Services", "The operations, by family."
		if preview {
			name, doc = prefix+"PreviewServices", "Operations of /v2-preview, by family. They can still change."
		}
		fmt.Fprintf(b, "\n\nclass %s:\n    \"\"\"%s\"\"\"\n\n    def __init__(self, sender: Any) -> None:\n", name, doc)
		for _, f := range m.Families {
			if f.Preview == preview {
				fmt.Fprintf(b, "        self.%s = %s%s(sender)\n", PythonName(f.Name), prefix, goService(f))
			}
		}
		if !preview {
			fmt.Fprintf(b, "        self.preview = %sPreviewServices(sender)\n", prefix)
		}
	}
	return b.String()
}

// pyPath is how a program reaches a family.
func pyPath(f Family) string {
	if f.Preview {
		return "preview." + PythonName(f.Name)
	}
	return PythonName(f.Name)
}

func pyMethod(b *bytes.Buffer, m Method, async bool) {
	path := strings.TrimPrefix(strings.TrimPrefix(m.Path, "/v1"), "/v2-preview")
	args, call := []string{"self"}, []string{strconv.Quote(m.Verb)}
	var ids []string
	for _, name := range m.IDs {
		args = append(args, PythonName(name)+": str")
		ids = append(ids, PythonName(name))
		path = strings.Replace(path, "{"+name+"}", "{}", 1)
	}
	if len(ids) > 0 {
		call = append(call, fmt.Sprintf("fill(%q, %s)", path, strings.Join(ids, ", ")))
	} else {
		call = append(call, strconv.Quote(path))
	}
	switch {
	case m.Upload:
		args, call = append(args, "file: Upload"), append(call, "file=file")
	case m.BodyOptional:
		args, call = append(args, "body: Optional[t."+m.Body+"] = None"), append(call, "body=body")
	case m.Body != "":
		args, call = append(args, "body: t."+m.Body), append(call, "body=body")
	}
	args = append(args, "*")
	if len(m.Query) > 0 {
		var query []string
		for _, q := range m.Query {
			args = append(args, fmt.Sprintf("%s: Optional[%s] = None", PythonName(q.Name), pyQualified(q.Type)))
			query = append(query, fmt.Sprintf("%q: %s", q.Name, PythonName(q.Name)))
		}
		call = append(call, "query={"+strings.Join(query, ", ")+"}")
	}
	args, call = append(args, "options: Optional[Options] = None"), append(call, "options=options")

	verb, result := "_send", "None"
	if m.Result != "" {
		result = "t." + m.Result
	}
	switch {
	case m.Item != "":
		verb, result = "_list", "Pager[t."+m.Item+"]"
		call = call[1:]
	case m.Accept != "":
		verb, result = "_download", "Download"
		call = append(call[1:], fmt.Sprintf("accept=%q", m.Accept))
	case m.Download:
		verb, result = "_download", "Download"
		call = call[1:]
	}
	keyword, wait := "def", ""
	if async {
		if verb != "_send" {
			result = "Async" + result
		}
		if verb != "_list" {
			keyword, wait = "async def", "await "
		}
	}
	fmt.Fprintf(b, "\n    %s %s(%s) -> %s:\n", keyword, PythonName(m.Name), strings.Join(args, ", "), result)
	doc := m.Summary + ". " + scopes(m)
	if m.Doc != "" && m.Doc != m.Summary+"." && !async {
		doc += "\n\n" + m.Doc
	}
	pyDoc(b, "        ", doc)
	fmt.Fprintf(b, "        return %sself.%s(%s)\n", wait, verb, strings.Join(call, ", "))
}

// pyQualified is a type in another module.
func pyQualified(t Type) string {
	switch t.Kind {
	case Array:
		return "List[" + pyQualified(*t.Elem) + "]"
	case Named, Choice:
		return "t." + t.Name
	}
	return pyBase(t)
}

// PythonName writes a name as Python does: listHullPhotos is list_hull_photos.
func PythonName(name string) string {
	parts := words(name)
	for i, w := range parts {
		parts[i] = strings.ToLower(w)
	}
	name = strings.Join(parts, "_")
	if isPyKeyword(name) {
		name += "_"
	}
	return name
}

func isPyKeyword(name string) bool {
	return slices.Contains([]string{
		"and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for", "from",
		"global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
	}, name)
}

// pyList joins names, on several lines if there are many.
func pyList(names []string, show func(string) string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = show(name)
	}
	if line := strings.Join(shown, ", "); len(line) <= docWidth {
		return line
	}
	return "\n    " + strings.Join(shown, ",\n    ") + ",\n"
}

func pyComment(b *bytes.Buffer, indent, text string) {
	if text == "" {
		return
	}
	for _, line := range wrap(text, docWidth) {
		b.WriteString(indent + "# " + line + "\n")
	}
}

// pyDoc prints the documentation of a class or a function.
func pyDoc(b *bytes.Buffer, indent, text string) {
	if text == "" {
		return
	}
	text = strings.NewReplacer(`\`, `\\`, `"""`, `'''`).Replace(text)
	var lines []string
	for _, paragraph := range strings.Split(text, "\n") {
		lines = append(lines, wrap(paragraph, docWidth)...)
	}
	if len(lines) == 1 && !strings.HasSuffix(lines[0], `"`) {
		fmt.Fprintf(b, "%s\"\"\"%s\"\"\"\n", indent, lines[0])
		return
	}
	fmt.Fprintf(b, "%s\"\"\"", indent)
	for i, line := range lines {
		if i > 0 && line != "" {
			line = indent + line
		}
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(b, "%s\"\"\"\n", indent)
}
