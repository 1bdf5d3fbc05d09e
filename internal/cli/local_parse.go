package cli

import (
	"context"
	"encoding"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parsed is what a command line asks for.
type Parsed struct {
	*Local
	Args          []string // of a command that passes them on
	Help, Version bool     // was asked for instead
}

// Parse finds the command of a command line, and fills in its struct and the settings: with
// flags, with variables of the environment, or with their defaults. Flags can be before and
// after the names of commands.
func (c *Local) Parse(args []string, getenv func(name string) (string, bool)) (Parsed, error) {
	given := map[string][]string{}
	var p parsed
	for found := c; found != nil; {
		var err error
		c = found
		if p, err = scanFlags(args, c.specs(), c.Line(), len(c.Children) > 0); err != nil {
			return Parsed{Local: c}, err
		}
		for name, values := range p.flags {
			given[name] = append(given[name], values...)
		}
		if len(c.Children) == 0 || len(p.args) == 0 {
			break
		}
		if found = c.child(p.args[0]); found == nil {
			return Parsed{Local: c}, c.unknown(p.args[0])
		}
		if args = p.args[1:]; found.passes {
			c, p.args = found, args
			break
		}
	}

	out := Parsed{Local: c, Args: p.args, Help: len(given["help"]) > 0, Version: len(given["version"]) > 0}
	if out.Help || out.Version {
		return out, nil
	}
	if len(c.Children) > 0 {
		return out, &UsageError{"expected one of " + c.quotedNames(), c.Line()}
	}
	if err := c.fill(given, getenv); err != nil {
		return out, &UsageError{err.Error(), c.Line()}
	}
	if c.passes {
		return out, nil
	}
	if err := c.fillArguments(p.args); err != nil {
		return out, &UsageError{err.Error(), c.Line()}
	}
	return out, nil
}

// quotedNames returns the names of the first commands.
func (c *Local) quotedNames() string {
	const most = 5
	var names []string
	for _, child := range c.Children {
		names = append(names, strconv.Quote(child.Name))
	}
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return strings.Join(names, ", ")
}

// unknown suggests a command with a similar name.
func (c *Local) unknown(name string) error {
	var names []string
	for _, child := range c.Children {
		names = append(names, child.Name)
	}
	hint := ""
	if similar := Closest(name, names); len(similar) > 0 {
		hint = fmt.Sprintf(", did you mean \"%s\"?", strings.Join(similar, `" or "`))
	}
	return &UsageError{"unexpected argument " + name + hint, c.Line()}
}

// fill sets the flags of the command and the settings.
func (c *Local) fill(given map[string][]string, getenv func(name string) (string, bool)) error {
	standards := map[string]string{}
	if d, ok := c.Struct().(interface{ Defaults() map[string]string }); ok {
		standards = d.Defaults()
	}

	var missing []string
	for _, f := range c.fields() {
		texts, source := given[f.name], "--"+f.name
		if texts == nil && f.env != "" {
			if text, ok := getenv(f.env); ok {
				texts, source = []string{text}, f.env
			}
		}
		if text := standards[f.name]; texts == nil && text != "" {
			texts = []string{text}
		}
		if texts == nil && f.standard != "" {
			texts = []string{f.standard}
		}
		if texts == nil && f.required {
			missing = append(missing, "--"+f.name+"="+f.value)
		}
		for _, text := range texts {
			if err := f.set(text); err != nil {
				return fmt.Errorf("%s %w", source, err)
			}
		}
	}
	if missing != nil {
		return fmt.Errorf("missing flags: %s", strings.Join(missing, ", "))
	}
	return nil
}

func (c *Local) fillArguments(args []string) error {
	if len(args) > len(c.args) {
		return fmt.Errorf("unexpected argument %s", args[len(c.args)])
	}
	var missing []string
	for i, a := range c.args {
		if i >= len(args) {
			if !a.optional {
				missing = append(missing, "<"+a.name+">")
			}
		} else if err := a.set(args[i]); err != nil {
			return fmt.Errorf("<%s> %w", a.name, err)
		}
	}
	if missing != nil {
		return fmt.Errorf("expected %q", strings.Join(missing, " "))
	}
	return nil
}

// set parses a value.
func (f *localField) set(text string) error {
	if f.values != nil && !slices.Contains(f.values, text) {
		return fmt.Errorf("must be one of \"%s\" but got %q", strings.Join(f.values, `","`), text)
	}
	if f.kind != "" && text != "" {
		path, err := absolute(text)
		if err != nil {
			return err
		}
		if info, err := os.Stat(path); f.kind == "existingfile" && (err != nil || info.IsDir()) {
			return fmt.Errorf("must be a file that exists, but got %q", text)
		}
		text = path
	}
	if err := setText(f.target, text); err != nil {
		return fmt.Errorf("must be %s but got %q", f.expects(), text)
	}
	return nil
}

// expects describes the values that can be parsed.
func (f *localField) expects() string {
	switch {
	case f.target.Type() == reflect.TypeFor[time.Duration]():
		return "a duration such as 30s or 5m"
	case f.target.Kind() == reflect.Bool:
		return "true or false"
	case f.target.Kind() == reflect.Slice:
		return "a list such as the one in the help"
	}
	return "a number"
}

// absolute returns the path of a file, also for ~/file in a variable, which no shell expands.
func absolute(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		return filepath.Join(home, rest), err
	}
	return filepath.Abs(path)
}

// setText parses a text into a value. Lists are separated by commas.
func setText(v reflect.Value, text string) error {
	switch to := v.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return to.UnmarshalText([]byte(text))
	case *time.Duration:
		d, err := time.ParseDuration(text)
		*to = d
		return err
	}

	var err error
	switch v.Kind() {
	case reflect.Slice:
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item == "" {
				continue
			}
			e := reflect.New(v.Type().Elem()).Elem()
			if err := setText(e, item); err != nil {
				return err
			}
			v.Set(reflect.Append(v, e))
		}
	case reflect.Bool:
		var on bool
		on, err = parseBool(text)
		v.SetBool(on)
	case reflect.Int, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	case reflect.Float64:
		var n float64
		n, err = strconv.ParseFloat(text, 64)
		v.SetFloat(n)
	default:
		v.SetString(text)
	}
	return err
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "yes":
		return true, nil
	case "no", "":
		return false, nil
	}
	return strconv.ParseBool(text)
}

// Complete returns the words that can follow. The last word is incomplete.
func (c *Local) Complete(ctx context.Context, s *Session, words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	last, before := words[len(words)-1], words[:len(words)-1]
	for len(c.Children) > 0 {
		p, err := scanFlags(before, c.specs(), "", true)
		if err != nil || len(p.args) == 0 {
			break
		}
		child := c.child(p.args[0])
		if child == nil {
			return nil
		}
		if c, before = child, p.args[1:]; c.passes {
			return Complete(ctx, s, c.Name, append(before, last))
		}
	}

	specs, _ := c.shown()
	all := completeSpecs(ctx, s, nil, specs, append(slices.Clone(before), last))
	p, err := scanFlags(before, c.specs(), "", false)
	switch {
	case err != nil || all != nil || strings.HasPrefix(last, "-"):
	case len(c.Children) > 0:
		for _, child := range c.Children {
			if !child.Hidden {
				all = append(all, Candidate{child.Name, child.Help})
			}
		}
	case len(p.args) < len(c.args):
		all = completeValue(ctx, s, c.args[len(p.args)].flagSpec, last)
	}
	return slices.DeleteFunc(all, func(c Candidate) bool { return !strings.HasPrefix(c.Text, last) })
}
