package browsertest

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// dialog is a dialog in the source of the console, by its title.
type dialog struct {
	file, title string
	pattern     *regexp.Regexp // what titles look like
}

var (
	dialogTag   = regexp.MustCompile(`<(?:Form|Deal)?Dialog\b[^>]*?\btitle=(?:"([^"]*)"|\{((?:[^{}]|\{[^{}]*\})*)\})`)
	openedForm  = regexp.MustCompile(`openForm\(\{[^;]*?\btitle: ((?:[^,"` + "`" + `]|"[^"]*"|` + "`[^`]*`" + `)*),`)
	literal     = regexp.MustCompile("\"([^\"]*)\"|`([^`]*)`")
	placeholder = regexp.MustCompile(`\\\$\\\{.*?\\\}`)
)

// wrappers are components that pass on a title.
var wrappers = []string{"form.tsx", "parts/dialog.tsx", "screens/dialogs.tsx title", "screens/dialogs.tsx options.title", "screens/contacts/people.tsx", "screens/deals/dialog.tsx"}

// computed are titles without text of their own.
var computed = map[string]string{
	"screens/boats/actions.tsx title":                            "^(Hold|Change the hold) .+",
	"screens/deals/lenders.tsx word(stipulation.kind)":           "^.+$",
	"screens/deals/lenders.tsx `${funding.lender}: ${word(to)}`": "^.+: .+$",
}

// dialogsInSource lists the dialogs of the console. Questions and secrets are one component each,
// see parts/dialog.tsx and screens/dialogs.tsx, so their texts are not listed.
func dialogsInSource(t *testing.T) (all []dialog) {
	t.Helper()
	root := "../internal/console/src"
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".tsx") || strings.HasPrefix(name, "vendor") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, found := range []*regexp.Regexp{dialogTag, openedForm} {
			for _, m := range found.FindAllStringSubmatch(string(text), -1) {
				d := dialog{file: name, title: strings.TrimSpace(m[len(m)-1])}
				if d.title == "" {
					d.title = `"` + m[1] + `"`
				}
				if !slices.Contains(wrappers, name) && !slices.Contains(wrappers, name+" "+d.title) {
					d.pattern = patternOf(d)
					all = append(all, d)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// patternOf returns what titles of a dialog look like: its texts, with anything for values.
func patternOf(d dialog) *regexp.Regexp {
	if known, ok := computed[d.file+" "+d.title]; ok {
		return regexp.MustCompile(known)
	}
	var parts []string
	for _, m := range literal.FindAllStringSubmatch(d.title, -1) {
		text := regexp.QuoteMeta(m[1] + m[2])
		if text = placeholder.ReplaceAllString(text, ".+"); text != ".+" && m[0] != `"invited"` {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return regexp.MustCompile("^$") // no title, so the test asks for one
	}
	return regexp.MustCompile("^(" + strings.Join(parts, "|") + ")$")
}

// elsewhere are dialogs that need more than a click: two contacts that are the same person, a
// change that requires a code, and a menu with what is loaded. Each has the test that opens it, or why none does.
var elsewhere = map[string]string{
	"screens/contacts/merge.tsx \"Merge contacts\"":                                  "TestConsoleContacts",
	"screens/dialogs.tsx \"Set up two-factor verification\"":                         "none: a sentence and two buttons, like the questions that are opened here",
	"screens/dialogs.tsx \"Two-factor verification\"":                                "TestKeys",
	"screens/leads/snippets.tsx \"Snippets\"":                                        "TestSnippets", // its menu isn't always there yet when this test presses it
	"screens/leads/snippets.tsx snippet ? `Edit /${snippet.name}` : \"Add snippet\"": "TestSnippets",
}

// openDialogs presses each button and each item of a menu on a screen, fills the dialogs that
// open with long content, and returns their titles with what doesn't fit.
const openDialogs = `(async (known) => {
  window.print = () => {}; // the browser complains about frequent calls
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const long = " Bartholomew-" + "x".repeat(60);
  let at = location.pathname + location.search;
  const found = [];
  const dialogs = () => [...document.querySelectorAll("dialog[open]")];
  const busy = () => document.querySelector("dialog[open] [aria-busy=true], dialog[open] .skeleton");
  const close = async () => {
    for (let n = 0; n < 4 && dialogs().length; n++) {
      dialogs().at(-1).dispatchEvent(new Event("cancel", { cancelable: true }));
      await wait(30);
      const leave = dialogs().at(-1)?.querySelector("form .danger");
      if (n > 0 && leave && dialogs().length > 1) { leave.click(); await wait(30); }
    }
  };
  const stretch = (d) => {
    const undo = [];
    const walker = document.createTreeWalker(d, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode()); ) {
      if (!node.data.trim() || node.parentElement.closest("button, a.btn, kbd, option, svg, legend, [role=tab]")) continue;
      const before = node.data;
      undo.push(() => { node.data = before; });
      node.data = before + long;
    }
    for (const e of d.querySelectorAll("input:not([type=checkbox], [type=radio], [type=file], [type=date], [type=datetime-local], [type=time]), textarea")) {
      const before = e.value;
      undo.push(() => { e.value = before; });
      e.value = before + long.repeat(3);
    }
    for (const e of d.querySelectorAll("select")) {
      const before = e.value, option = new Option(long.repeat(2), "long");
      e.append(option);
      undo.push(() => { option.remove(); e.value = before; });
      e.value = "long";
    }
    return () => undo.forEach((f) => f());
  };
  const wider = (d) => [d, ...d.querySelectorAll("*")].filter((e) => !e.closest("select, svg") && !/^(INPUT|TEXTAREA)$/.test(e.tagName)
    && e.scrollWidth > e.clientWidth + 1 && (e === d || /auto|scroll/.test(getComputedStyle(e).overflowX)) && e.clientWidth > 0)
    .map((e) => (e === d ? "the dialog" : "<" + e.localName + " class=\"" + e.className + "\">") + " by " + (e.scrollWidth - e.clientWidth) + " px");
  const outside = (d) => {
    const right = d.getBoundingClientRect().right + 1, range = document.createRange(), all = [];
    const walker = document.createTreeWalker(d, NodeFilter.SHOW_TEXT);
    for (let node; all.length < 3 && (node = walker.nextNode()); ) {
      const e = node.parentElement;
      range.selectNodeContents(node);
      if (e.checkVisibility() && range.getBoundingClientRect().right > right && !e.closest(".vh")) all.push("<" + e.localName + " class=\"" + e.className + "\"> " + node.textContent.slice(0, 40));
    }
    return all;
  };
  const look = async () => {
    for (let n = 0; n < 100 && busy(); n++) await wait(20);
    const d = dialogs().at(-1);
    const title = d?.querySelector("h2")?.textContent ?? d?.getAttribute("aria-label") ?? "";
    if (!d || known.includes(title)) return;
    known.push(title);
    const undo = stretch(d);
    await wait(20);
    const problems = wider(d);
    found.push({ title, problems: problems.length ? problems.concat(outside(d)) : [] });
    undo();
  };
  const visible = (e) => e.checkVisibility() && !e.disabled && e.getAttribute("aria-disabled") !== "true";
  const buttons = () => [...document.querySelectorAll("main button, main summary, main [role=button]")].filter(visible);
  const nameOf = (e) => (e.innerText.trim() || e.getAttribute("aria-label") || e.title || "").replace(/[0-9]+/g, "0") + " " + e.className;
  const times = {}, pressed = new WeakSet();
  const ready = async () => { for (let n = 0; n < 150 && (n < 3 || document.querySelector("main [aria-busy=true], main .skeleton")); n++) await wait(20); };
  const pressAll = async () => { for (let n = 0; n < 150; n++) {
    const button = buttons().find((e) => !pressed.has(e) && (times[nameOf(e)] ?? 0) < 3 && !/sign out/i.test(e.innerText));
    if (!button || location.pathname + location.search !== at) break;
    pressed.add(button);
    times[nameOf(button)] = (times[nameOf(button)] ?? 0) + 1;
    button.click();
    await wait(40);
    const menu = document.querySelector(":popover-open");
    if (menu) {
      const items = [...menu.querySelectorAll("[role=menuitem], button")].map((e) => e.innerText);
      for (const text of items) {
        if (!button.isConnected || location.pathname + location.search !== at) break;
        if (!document.querySelector(":popover-open")) { button.click(); await wait(40); }
        const item = [...document.querySelectorAll(":popover-open [role=menuitem], :popover-open button")].find((e) => e.innerText === text && visible(e) && e.localName !== "a");
        if (!item) continue;
        item.click();
        await wait(60);
        if (dialogs().length) { await look(); await close(); }
      }
      document.querySelectorAll(":popover-open").forEach((e) => e.hidePopover());
    } else if (dialogs().length) {
      await look();
      await close();
    }
    if (location.pathname + location.search !== at) {
      const back = document.createElement("a");
      back.href = at;
      document.body.append(back);
      back.click();
      back.remove();
      await ready();
    }
  } };
  if (dialogs().length) { await look(); await close(); }
  await pressAll();
  for (const tab of [...document.querySelectorAll("main .tabs a")].map((e) => e.innerText)) {
    const link = [...document.querySelectorAll("main .tabs a")].find((e) => e.innerText === tab && !e.ariaCurrent);
    if (!link) continue;
    link.click();
    await ready();
    at = location.pathname + location.search;
    await pressAll();
  }
  return found;
})`

// opened are the titles of the dialogs that were opened.
type openedDialogs struct {
	mu     sync.Mutex
	titles map[string]bool
}

func (o *openedDialogs) known() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Keys(o.titles))
}

// No dialog scrolls sideways with long content, on a desk and on a phone, and each dialog of the
// source is opened here, or in a test of elsewhere. A new dialog without a test fails.
func TestDialogsFit(t *testing.T) {
	d := startDemo(t)
	t.Parallel()
	seen := &openedDialogs{titles: map[string]bool{}}
	t.Run("screens", func(t *testing.T) {
		const tabs = 4
		for _, l := range []look{desk, phone} {
			mine := &openedDialogs{titles: map[string]bool{}}
			for n := range tabs {
				t.Run(fmt.Sprint(l.name, n), func(t *testing.T) {
					t.Parallel()
					b := signIn(t, d.server, l, d.email("owner"), "/console/test/today")
					b.console = false // dialogs also send what the demo refuses
					b.frames(`document.querySelector("[aria-label='Help and shortcuts']")?.click()`)
					b.dialogsOf("help", mine)
					for i := n; i < len(dialogTour); i += tabs {
						b.open(dialogTour[i].path, dialogTour[i].step)
						b.dialogsOf(dialogTour[i].name, mine)
					}
					seen.mu.Lock()
					maps.Copy(seen.titles, mine.titles)
					seen.mu.Unlock()
				})
			}
		}
	})
	if t.Failed() {
		return
	}

	listed := map[string]bool{}
	for _, s := range dialogsInSource(t) {
		key := s.file + " " + s.title
		listed[key] = true
		found := slices.ContainsFunc(slices.Collect(maps.Keys(seen.titles)), s.pattern.MatchString)
		where := elsewhere[key]
		if !found && where == "" {
			t.Errorf("no test opens the dialog %s. Add a screen to dialogTour, or the test that opens it to elsewhere.", key)
		} else if found && strings.HasPrefix(where, "none") {
			t.Errorf("this test opens the dialog %s. Remove it from elsewhere.", key)
		}
	}
	for key := range elsewhere {
		if !listed[key] {
			t.Errorf("the source has no dialog %s. Remove it from elsewhere.", key)
		}
	}
}

// openBoat opens the page of the first boat of a list, and openContact that of a contact.
const (
	openBoat    = firstRow + `; setTimeout(() => document.querySelector(".peek a[href*='/boats/']")?.click(), 300)`
	openContact = firstRow + `; setTimeout(() => document.querySelector(".peek a[href*='/contacts/']")?.click(), 300)`
)

// dialogTour are the screens with dialogs: those of the tour, and others whose objects are in
// another state.
var dialogTour = append(slices.Clone(tour), []struct{ name, path, step string }{
	{"boat-transit", "boats?status=in_transit", openBoat},
	{"boat-order", "boats?status=on_order", openBoat},
	{"boats-selected", "boats", `document.querySelector("tbody .pick input").click()`},
	{"contact", "contacts?q=dale", openContact},
	{"deal-open", "deals?view=table&status=open", firstRow},
	{"document-issued", "documents?status=issued", firstRow},
	{"person", "settings/people", firstRow},
}...)

// dialogsOf opens the dialogs of a screen.
func (b *tab) dialogsOf(name string, o *openedDialogs) {
	b.t.Helper()
	type found struct {
		Title    string
		Problems []string
	}
	b.t.Log(name)
	script := fmt.Sprintf("%s(%s)", openDialogs, quoted(o.known()))
	var all []found
	err := chromedp.Run(b, chromedp.Evaluate(script, &all, await, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithUserGesture(true).WithTimeout(runtime.TimeDelta(6 * time.Minute / time.Millisecond))
	}))
	if err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, f := range all {
		o.titles[f.Title] = true
		b.t.Logf("%s: %s", name, f.Title)
		if len(f.Problems) > 0 {
			b.t.Errorf("%s (%s): the dialog %q scrolls sideways with long content: %s", name, b.look.name, f.Title, strings.Join(f.Problems, "; "))
		}
	}
}

// quoted returns a list as JavaScript.
func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = fmt.Sprintf("%q", s)
	}
	return "[" + strings.Join(out, ",") + "]"
}
