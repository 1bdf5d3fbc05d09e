package sdkgen

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TypeScript returns the generated files of the TypeScript SDK.
func TypeScript(m *Model) map[string][]byte {
	header := "// " + origin + "\n\n"
	return map[string][]byte{
		"types.gen.ts":    []byte(header + tsTypes(m)),
		"services.gen.ts": []byte(header + tsServices(m)),
	}
}

func tsTypes(m *Model) string {
	b := &bytes.Buffer{}
	if m.usesDetail() {
		b.WriteString("import type { Detail } from \"./errors.ts\";\n")
	}
	b.WriteString("import type { ListParams } from \"./list.ts\";\n\n")
	b.WriteString("/** API version that this SDK was generated for. It requests this version. */\n")
	fmt.Fprintf(b, "export const VERSION = %q;\n", m.Version)
	for _, e := range m.Enums {
		b.WriteString("\n")
		tsDoc(b, "", e.Doc)
		fmt.Fprintf(b, "export type %s =%s;\n", e.Name, alternatives(e.Values, strconv.Quote))
	}
	for _, u := range m.Unions {
		b.WriteString("\n")
		tsDoc(b, "", u.Doc)
		fmt.Fprintf(b, "export type %s =%s;\n", u.Name, alternatives(u.Variants, func(name string) string { return name }))
	}
	for _, s := range m.Structs {
		b.WriteString("\n")
		if s.Name == "Event" {
			tsEvents(b, m, s)
			continue
		}
		tsDoc(b, "", s.Doc)
		fmt.Fprintf(b, "export interface %s {\n", s.Name)
		tsFields(b, s.Fields)
		b.WriteString("}\n")
	}
	for _, f := range m.Families {
		for _, method := range f.Methods {
			tsParams(b, f, method)
		}
	}
	return b.String()
}

// usesDetail reports whether a type has the details of an error, which are written manually.
func (m *Model) usesDetail() bool {
	return slices.ContainsFunc(m.Structs, func(s Struct) bool {
		return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Type.Elem != nil && f.Type.Elem.Name == "Detail" })
	})
}

// alternatives joins types by |, on one line if they fit.
func alternatives(names []string, show func(string) string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = show(name)
	}
	if line := " " + strings.Join(shown, " | "); len(line) <= docWidth {
		return line
	}
	return "\n  | " + strings.Join(shown, "\n  | ")
}

func tsFields(b *bytes.Buffer, fields []Field) {
	for _, f := range fields {
		tsDoc(b, "  ", f.Doc)
		optional := "?"
		if f.Required {
			optional = ""
		}
		fmt.Fprintf(b, "  %s%s: %s;\n", f.Name, optional, tsType(f.Type))
	}
}

func tsEvents(b *bytes.Buffer, m *Model, s Struct) {
	b.WriteString("/** The objects of events, by type. */\nexport interface EventObjects {\n")
	for _, e := range m.Events {
		tsDoc(b, "  ", e.Doc)
		fmt.Fprintf(b, "  %q: %s;\n", e.Type, e.Object)
	}
	b.WriteString("}\n\n/** A type of event. */\nexport type EventType = keyof EventObjects;\n\n")
	b.WriteString("/** An event of one type. */\nexport interface EventOf<T extends EventType> {\n")
	tsFields(b, s.Fields)
	b.WriteString("  /** Determines the type of the object. */\n  type: T;\n")
	b.WriteString("  /** The object after the event, and the old values of the changed fields. */\n")
	b.WriteString("  data: { object: EventObjects[T]; previous: Partial<EventObjects[T]> };\n}\n\n")
	b.WriteString("/** An event. Its type determines the type of its object: `switch (event.type)` narrows `event.data.object`. */\n")
	b.WriteString("export type Event = { [T in EventType]: EventOf<T> }[EventType];\n")
}

func tsParams(b *bytes.Buffer, f Family, m Method) {
	if m.Params == "" || m.Params == "ListParams" {
		return
	}
	fmt.Fprintf(b, "\n/** Parameters of %s. */\nexport interface %s", tsPath(f)+"."+TSName(m.Name), m.Params)
	fields := m.Query
	if m.Item != "" {
		b.WriteString(" extends ListParams")
		fields = slices.DeleteFunc(slices.Clone(fields), func(q Field) bool { return slices.Contains(listQuery, q.Name) })
	}
	b.WriteString(" {\n")
	tsFields(b, fields)
	b.WriteString("}\n")
}

func tsType(t Type) string {
	s := tsBase(t)
	if t.Nullable {
		s += " | null"
	}
	return s
}

func tsBase(t Type) string {
	switch t.Kind {
	case String, Time:
		return "string"
	case Integer, Number:
		return "number"
	case Boolean:
		return "boolean"
	case Constant:
		return strconv.Quote(t.Name)
	case Null:
		return "null"
	case Array:
		return "Array<" + tsType(*t.Elem) + ">"
	case Map:
		return "Record<string, " + tsType(*t.Elem) + ">"
	case Named, Choice:
		return t.Name
	}
	return "unknown"
}

func tsServices(m *Model) string {
	b := &bytes.Buffer{}
	b.WriteString("import {\n  Family, PreviewFamily, csv, download, get, list, patch, path, post, put, remove, upload,\n")
	b.WriteString("  type Options, type Sender, type Upload,\n} from \"./client.ts\";\n")
	b.WriteString("import type { List, ListParams } from \"./list.ts\";\nimport type * as t from \"./types.gen.ts\";\n")
	tsClasses(b, m, asSource)
	return b.String()
}

// tsForm is what a class is printed as.
type tsForm int

const (
	asSource      tsForm = iota // TypeScript
	asScript                    // JavaScript
	asDeclaration               // the types of the JavaScript
)

func tsClasses(b *bytes.Buffer, m *Model, form tsForm) {
	class := map[tsForm]string{asSource: "export class", asScript: "class", asDeclaration: "export declare class"}[form]
	for _, f := range m.Families {
		b.WriteString("\n")
		if form != asScript {
			tsDoc(b, "", "Operations of "+tsPath(f)+".")
		}
		base := "Family"
		if f.Preview {
			base = previewPrefix + base
		}
		fmt.Fprintf(b, "%s %s extends %s {\n", class, goService(f), base)
		for _, method := range f.Methods {
			tsMethod(b, method, form)
			if method.CSV {
				tsMethod(b, method.asCSV(), form)
			}
		}
		b.WriteString("}\n")
	}

	fmt.Fprintf(b, "\n/** The operations, by family. */\n%s Services {\n", class)
	if form != asScript {
		for _, f := range m.Families {
			if !f.Preview {
				fmt.Fprintf(b, "  readonly %s: %s;\n", TSName(f.Name), goService(f))
			}
		}
		b.WriteString("  /** Operations of /v2-preview. They can still change. */\n  readonly preview: {\n")
		for _, f := range m.Families {
			if f.Preview {
				fmt.Fprintf(b, "    readonly %s: %s;\n", TSName(f.Name), goService(f))
			}
		}
		b.WriteString("  };\n\n")
	}
	switch form {
	case asDeclaration:
		b.WriteString("  constructor(sender: Sender);\n}\n")
		return
	case asScript:
		b.WriteString("  constructor(sender) {\n")
	case asSource:
		b.WriteString("  constructor(sender: Sender) {\n")
	}
	for _, f := range m.Families {
		if !f.Preview {
			fmt.Fprintf(b, "    this.%s = new %s(sender);\n", TSName(f.Name), goService(f))
		}
	}
	b.WriteString("    this.preview = {\n")
	for _, f := range m.Families {
		if f.Preview {
			fmt.Fprintf(b, "      %s: new %s(sender),\n", TSName(f.Name), goService(f))
		}
	}
	b.WriteString("    };\n  }\n}\n")
}

// tsPath is how a program reaches a family.
func tsPath(f Family) string {
	if f.Preview {
		return "preview." + TSName(f.Name)
	}
	return TSName(f.Name)
}

// tsArgument is an argument of a method, with its question mark and its type.
type tsArgument struct{ name, rest string }

func tsMethod(b *bytes.Buffer, m Method, form tsForm) {
	var args []tsArgument
	path := strings.TrimPrefix(strings.TrimPrefix(m.Path, "/v1"), "/v2-preview")
	for _, name := range m.IDs {
		args = append(args, tsArgument{TSName(name), ": string"})
		path = strings.ReplaceAll(path, "{"+name+"}", "${"+TSName(name)+"}")
	}
	if len(m.IDs) == 0 {
		path = strconv.Quote(path)
	} else {
		path = "path`" + path + "`"
	}
	body := ", undefined"
	switch {
	case m.Upload:
		args, body = append(args, tsArgument{"file", ": Upload"}), ", file"
	case m.BodyOptional:
		args, body = append(args, tsArgument{"body", "?: t." + m.Body}), ", body"
	case m.Body != "":
		args, body = append(args, tsArgument{"body", ": t." + m.Body}), ", body"
	case m.Verb == "GET" || m.Verb == "DELETE":
		body = ""
	}
	query := ""
	if m.Params != "" {
		args, query = append(args, tsArgument{"query", "?: " + tsParamsName(m)}), ", query"
	}
	args = append(args, tsArgument{"options", "?: Options"})

	result, call := "Promise<void>", tsVerbs[m.Verb]+"(this, "
	if m.Result != "" {
		result = "Promise<t." + m.Result + ">"
	}
	switch {
	case m.Item != "":
		result, call = "List<t."+m.Item+">", "list(this, "
	case m.Accept != "":
		result, call = "Promise<Response>", "csv(this, "
	case m.Download:
		result, call = "Promise<Response>", "download(this, "
	case m.Upload:
		call = fmt.Sprintf("upload(this, %q, ", m.Verb)
	}
	call += path + body + ", options" + query + ")"

	var names, typed []string
	for _, a := range args {
		names, typed = append(names, a.name), append(typed, a.name+a.rest)
	}
	doc := m.Summary + ". " + scopes(m)
	if m.Doc != "" && m.Doc != m.Summary+"." {
		doc += "\n" + m.Doc
	}
	// A function in a field is shorter than a method after a bundler has minified it.
	switch form {
	case asSource:
		tsDoc(b, "  ", doc)
		fmt.Fprintf(b, "  readonly %s = (%s): %s =>\n    %s;\n", TSName(m.Name), strings.Join(typed, ", "), result, call)
	case asScript:
		fmt.Fprintf(b, "  %s = (%s) => %s;\n", TSName(m.Name), strings.Join(names, ", "), call)
	case asDeclaration:
		tsDoc(b, "  ", doc)
		fmt.Fprintf(b, "  readonly %s: (%s) => %s;\n", TSName(m.Name), strings.Join(typed, ", "), result)
	}
}

// tsVerbs are the functions of client.ts that send requests.
var tsVerbs = map[string]string{"GET": "get", "POST": "post", "PUT": "put", "PATCH": "patch", "DELETE": "remove"}

func tsParamsName(m Method) string {
	if m.Params == "ListParams" {
		return m.Params
	}
	return "t." + m.Params
}

func tsDoc(b *bytes.Buffer, indent, text string) {
	if text == "" {
		return
	}
	text = strings.ReplaceAll(text, "*/", "* /")
	var lines []string
	for _, paragraph := range strings.Split(text, "\n") {
		lines = append(lines, wrap(paragraph, docWidth)...)
	}
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s/** %s */\n", indent, lines[0])
		return
	}
	fmt.Fprintf(b, "%s/**\n", indent)
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	fmt.Fprintf(b, "%s */\n", indent)
}
