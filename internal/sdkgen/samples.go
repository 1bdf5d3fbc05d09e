package sdkgen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"slices"
	"strings"
)

// Sample calls an operation with each SDK. The reference page shows it.
type Sample struct {
	Go         string `json:"go"`
	TypeScript string `json:"typescript"`
}

// Samples returns api/samples.json, and two programs with all samples, so that the
// compilers check them. The names of operations of the preview start with "preview.".
func Samples(m *Model) (list, golang, typescript []byte, err error) {
	s := &sampler{m: m, structs: map[string]Struct{}, enums: map[string]Enum{}}
	for _, x := range m.Structs {
		s.structs[x.Name] = x
	}
	for _, u := range m.Unions {
		s.structs[u.Name] = m.merge(u)
	}
	for _, e := range m.Enums {
		s.enums[e.Name] = e
	}

	all := map[string]Sample{}
	var inGo, inTS bytes.Buffer
	for _, f := range m.Families {
		for _, method := range f.Methods {
			name := method.OperationID
			if f.Preview {
				name = "preview." + name
			}
			sample, err := s.sample(f, method)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", name, err)
			}
			all[name] = sample
			fmt.Fprintf(&inGo, "func() error {\n%s\nreturn nil\n},\n", sample.Go)
			fmt.Fprintf(&inTS, "  async () => {\n%s\n  },\n", indent(sample.TypeScript, "    "))
		}
	}

	if list, err = json.MarshalIndent(all, "", " "); err != nil {
		return nil, nil, nil, err
	}
	golang, err = format.Source([]byte("// " + origin + "\n\npackage slipway_test\n\nimport (\n\"context\"\n\"fmt\"\n\"io\"\n\"os\"\n\"time\"\n\n" +
		"slipway \"slipway.example.com/slipway\"\n)\n\n// samples are the samples of the reference page. They only have to compile.\n" +
		"func samples(ctx context.Context, client *slipway.Client) []func() error {\n_ = time.UTC\nreturn []func() error{\n" +
		inGo.String() + "}\n}\n\nvar _ = samples\n"))
	typescript = []byte("// " + origin + "\n\nimport { openAsBlob } from \"node:fs\";\nimport type { Slipway } from \"../src/index.ts\";\n\n" +
		"/** The samples of the reference page. They only have to compile. */\nexport const samples = (slipway: Slipway): unknown => [\n" +
		inTS.String() + "];\n")
	return append(list, '\n'), golang, typescript, err
}

// sampler prints values of the API as code.
type sampler struct {
	m       *Model
	structs map[string]Struct
	enums   map[string]Enum
}

// call is an operation with its arguments in a language.
type call struct {
	Method
	path   string // such as client.Hulls.Create
	args   []string
	result string // name of the variable
	shows  string // what the sample prints
}

func (s *sampler) sample(f Family, m Method) (Sample, error) {
	body, err := s.body(m)
	if err != nil {
		return Sample{}, err
	}
	query := s.query(m)
	result := TSName(resultName(m))
	inGo := call{Method: m, path: "client." + f.Name + "." + GoName(m.Name), args: []string{"ctx"}, result: result, shows: result}
	if f.Preview {
		inGo.path = "client.Preview." + f.Name + "." + GoName(m.Name)
	}
	inTS := call{Method: m, path: "slipway." + tsPath(f) + "." + TSName(m.Name), result: result, shows: result}
	if s.hasID(m) {
		inGo.shows, inTS.shows = result+".ID", result+".id"
	}

	for _, id := range m.IDExamples {
		inGo.args, inTS.args = append(inGo.args, fmt.Sprintf("%q", id)), append(inTS.args, fmt.Sprintf("%q", id))
	}
	switch {
	case m.Upload:
		inGo.args = append(inGo.args, fmt.Sprintf("slipway.File{Content: file, ContentType: %q}", m.Files[0]))
		inTS.args = append(inTS.args, "file")
	case m.Body != "":
		value := s.goValue(Type{Kind: Named, Name: m.Body}, body)
		if m.BodyOptional {
			value = "&" + value
		}
		inGo.args, inTS.args = append(inGo.args, value), append(inTS.args, tsValue(body))
	}
	if m.Params != "" {
		inGo.args = append(inGo.args, s.goQuery(m, query))
		if len(query) > 0 {
			inTS.args = append(inTS.args, tsValue(query))
		}
	}

	text, err := format.Source([]byte(inGo.golang()))
	return Sample{Go: string(text), TypeScript: inTS.typeScript()}, err
}

// resultName is the noun of a result.
func resultName(m Method) string {
	switch name := strings.TrimPrefix(m.Result+m.Item, previewPrefix); {
	case m.Download:
		return "content"
	case name == "":
		return "result"
	case GoName(name) == "Event", name == "File": // clear, but used for something else
		return "item"
	default:
		return name
	}
}

func (s *sampler) hasID(m Method) bool {
	fields := s.structs[m.Result+m.Item].Fields
	return !m.Download && slices.ContainsFunc(fields, func(f Field) bool { return f.Name == "id" })
}

func (c call) golang() string {
	var b strings.Builder
	if c.Upload {
		fmt.Fprintf(&b, "file, err := os.Open(%q)\nif err != nil {\n\treturn err\n}\ndefer file.Close()\n\n", fileName(c.Files[0]))
	}
	line := c.path + "(" + strings.Join(c.args, ", ") + ")"
	const check = "if err != nil {\n\treturn err\n}\n"
	switch {
	case c.Item != "":
		fmt.Fprintf(&b, "for %s, err := range %s {\n%sfmt.Println(%s)\n}", c.result, line, check, c.shows)
	case c.Download:
		fmt.Fprintf(&b, "%s, err := %s\n%sdefer %s.Close()\n_, err = io.Copy(os.Stdout, %s)\n%s", c.result, line, check, c.result, c.result, check)
	case c.Result != "":
		fmt.Fprintf(&b, "%s, err := %s\n%sfmt.Println(%s)", c.result, line, check, c.shows)
	case c.Upload:
		fmt.Fprintf(&b, "err = %s\n%s", line, check)
	default:
		fmt.Fprintf(&b, "err := %s\n%s", line, check)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c call) typeScript() string {
	var b strings.Builder
	if c.Upload {
		fmt.Fprintf(&b, "const file = await openAsBlob(%q, { type: %q });\n", fileName(c.Files[0]), c.Files[0])
	}
	line := c.path + "(" + strings.Join(c.args, ", ") + ")"
	switch {
	case c.Item != "":
		fmt.Fprintf(&b, "for await (const %s of %s) {\n  console.log(%s);\n}", c.result, line, c.shows)
	case c.Download:
		fmt.Fprintf(&b, "const %s = await %s;\nfor await (const bytes of %s.body ?? []) {\n  process.stdout.write(bytes);\n}", c.result, line, c.result)
	case c.Result != "":
		fmt.Fprintf(&b, "const %s = await %s;\nconsole.log(%s);", c.result, line, c.shows)
	default:
		fmt.Fprintf(&b, "await %s;", line)
	}
	return b.String()
}

// fileName is a file of a media type.
func fileName(mediaType string) string {
	switch mediaType {
	case "application/pdf":
		return "agreement.pdf"
	case "image/jpeg", "image/png", "image/webp":
		return "bow.jpg"
	}
	return "boats.csv"
}

// indent adds spaces in front of each line.
func indent(text, by string) string { return by + strings.ReplaceAll(text, "\n", "\n"+by) }
