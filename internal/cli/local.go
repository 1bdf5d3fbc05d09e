package cli

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// Local is a command that is a struct, or the program itself. A field with the tag cmd is
// another command, one with the tag arg is an argument, and the others are flags. The fields
// of an embedded struct count as well.
//
// The tags are name, aliases, help, default, env, enum, required, optional (of an argument), type (path or existingfile),
// suggest (what completion offers), hidden, and settings (of a command: which flags of the
// program its help shows).
type Local struct {
	Name, Help string
	Hidden     bool
	Children   []*Local

	parent   *Local
	value    reflect.Value // of the struct
	passes   bool          // its arguments are not parsed
	settings string
	flags    []*localField
	args     []*localField
}

// localField is a flag or an argument.
type localField struct {
	flagSpec
	target   reflect.Value
	env      string
	kind     string // path or existingfile
	standard string // value without a flag, an argument or a variable
	required bool
	optional bool
}

// Suggestions are lists for the tag suggest.
type Suggestions map[string]func() []string

// NewLocal returns the commands of a struct. The flags of the struct itself are the settings
// of the program, which all commands accept.
func NewLocal(name, help string, commands any, suggest Suggestions) *Local {
	root := &Local{Name: name, Help: help, value: reflect.ValueOf(commands).Elem()}
	root.read(root.value, suggest)
	for _, f := range root.flags {
		f.common = true
	}
	return root
}

// Pass adds a command whose arguments are passed on as they are.
func (c *Local) Pass(name, help string) *Local {
	child := &Local{Name: name, Help: help, parent: c, passes: true, settings: "none"}
	c.Children = append(c.Children, child)
	return child
}

// Struct returns the struct of the command with its values, as a pointer. A command that
// passes on its arguments has none.
func (c *Local) Struct() any {
	if !c.value.IsValid() {
		return nil
	}
	return c.value.Addr().Interface()
}

// Leaves returns the commands without further commands.
func (c *Local) Leaves() (all []*Local) {
	if len(c.Children) == 0 {
		return []*Local{c}
	}
	for _, child := range c.Children {
		all = append(all, child.Leaves()...)
	}
	return all
}

// Line returns how to call the command: slipway users reset.
func (c *Local) Line() string {
	if c.parent == nil {
		return c.Name
	}
	return c.parent.Line() + " " + c.Name
}

// Detail returns the examples in the help of the command, one per line.
func (c *Local) Detail() string {
	if d, ok := c.Struct().(interface{ Help() string }); ok {
		return d.Help()
	}
	return ""
}

func (c *Local) root() *Local {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

func (c *Local) child(name string) *Local {
	if i := slices.IndexFunc(c.Children, func(l *Local) bool { return l.Name == name }); i >= 0 {
		return c.Children[i]
	}
	return nil
}

// read adds the fields of a struct.
func (c *Local) read(v reflect.Value, suggest Suggestions) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		_, isCommand := f.Tag.Lookup("cmd")
		_, isArgument := f.Tag.Lookup("arg")
		switch {
		case f.Anonymous:
			c.read(v.Field(i), suggest)
		case isCommand:
			_, hidden := f.Tag.Lookup("hidden")
			child := &Local{Name: nameOf(f), Help: f.Tag.Get("help"), Hidden: hidden, parent: c, value: v.Field(i), settings: f.Tag.Get("settings")}
			child.read(child.value, suggest)
			c.Children = append(c.Children, child)
		case isArgument:
			c.args = append(c.args, newField(f, v.Field(i), suggest))
		default:
			c.flags = append(c.flags, newField(f, v.Field(i), suggest))
		}
	}
}

func newField(f reflect.StructField, v reflect.Value, suggest Suggestions) *localField {
	_, required := f.Tag.Lookup("required")
	out := &localField{target: v, env: f.Tag.Get("env"), kind: f.Tag.Get("type"), standard: f.Tag.Get("default"), required: required}
	_, out.optional = f.Tag.Lookup("optional")
	out.name, out.suggest = nameOf(f), suggest[f.Tag.Get("suggest")]
	if all := f.Tag.Get("aliases"); all != "" {
		out.aliases = strings.Split(all, ",")
	}
	if all := f.Tag.Get("enum"); all != "" {
		out.values = strings.Split(all, ",")
	}
	out.value = out.placeholder()
	out.help = strings.ReplaceAll(f.Tag.Get("help"), "${default}", out.standard)
	return out
}

// placeholder is what the help shows as the value: the default, or the kind of value.
func (f *localField) placeholder() string {
	kind := f.target.Kind()
	switch {
	case kind == reflect.Bool:
		return ""
	case f.standard != "" && kind == reflect.String:
		return `"` + f.standard + `"`
	case f.standard != "":
		return f.standard
	case kind == reflect.Slice:
		return listValue
	case kind == reflect.String:
		return "TEXT"
	}
	return "N"
}

// nameOf returns the name of a field on the command line. A setting is named like its variable.
func nameOf(f reflect.StructField) string {
	if name := f.Tag.Get("name"); name != "" {
		return name
	}
	if env, ok := strings.CutPrefix(f.Tag.Get("env"), "SLIPWAY_"); ok {
		return strings.ReplaceAll(strings.ToLower(env), "_", "-")
	}

	var b strings.Builder
	for i, r := range f.Name {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(rune(f.Name[i-1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// always are the flags of all commands.
var always = []flagSpec{
	{name: "help", short: "h", help: "Show this help."},
	{name: "version", help: "Print the version."},
}

// specs returns the flags that the command accepts.
func (c *Local) specs() (all []flagSpec) {
	for _, f := range c.fields() {
		all = append(all, f.flagSpec)
	}
	return append(all, always...)
}

// fields returns the flags of the command and the settings.
func (c *Local) fields() []*localField {
	if c.parent == nil {
		return c.flags
	}
	return slices.Concat(c.flags, c.root().flags)
}

// shown returns the flags in the help: the ones of the command, and the settings that it
// uses. It reports whether there are more settings.
func (c *Local) shown() (all []flagSpec, more bool) {
	used := c.used()
	for _, f := range c.fields() {
		if f.common && used != "all" && !slices.Contains(strings.Split(used, ","), f.name) {
			more = true
			continue
		}
		spec := f.flagSpec
		if f.env != "" {
			spec.help += " ($" + f.env + ")"
		}
		all = append(all, spec)
	}
	return append(all, always[0]), more
}

// used returns the settings that matter for the command.
func (c *Local) used() string {
	switch {
	case c.settings != "":
		return c.settings
	case c.parent == nil:
		return "none"
	case c.parent.parent != nil:
		return c.parent.used()
	}
	return "data,database-url,master-key"
}

// PrintHelp prints the help of the command.
func (c *Local) PrintHelp(w io.Writer) error {
	h := helpPage{usage: c.Line(), summary: c.Help, common: "Settings:"}
	if len(c.Children) > 0 {
		h.usage += " <command>"
		for _, child := range c.Children {
			h.commands = append(h.commands, [2]string{child.Name, child.Help})
		}
		h.last = commandHint(c.Line())
	}
	for _, a := range c.args {
		name := "<" + a.name + ">"
		h.args = append(h.args, [2]string{name, a.describe()})
		if a.optional {
			name = "[" + name + "]"
		}
		h.usage += " " + name
	}
	h.usage += " [flags]"

	if len(c.Children) == 0 {
		specs, more := c.shown()
		h.flags = specs
		if detail := c.Detail(); detail != "" {
			h.examples = strings.Split(detail, "\n")
		}
		if more {
			h.last = "To list all settings, run \"" + c.root().Name + " serve --help\"."
		}
	}
	return h.print(w)
}
