// Command shot takes pictures of pages of the console, for developers who want to see what
// they change. See the README of the screens.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const usage = `shot -link URL [-out FOLDER] [-looks light,dark,phone,dark-phone] [-do SCRIPT] NAME=PATH...

Signs in with a link of the demo, opens each path, and writes FOLDER/NAME-LOOK.png. The script
is JavaScript that runs on each page before the picture, such as

  -do 'document.querySelector("tbody tr").click()'

It can be async. Problems that the browser reports are printed.`

func main() {
	link := flag.String("link", "", "one-time link that the demo printed")
	out := flag.String("out", ".", "folder for the pictures")
	looks := flag.String("looks", "light", "comma-separated: light, dark, phone, dark-phone")
	do := flag.String("do", "", "JavaScript to run on each page")
	wait := flag.Duration("wait", 1200*time.Millisecond, "how long to wait before the picture")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, usage) }
	flag.Parse()
	if *link == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*link, *out, strings.Split(*looks, ","), *do, *wait, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(link, out string, looks []string, do string, wait time.Duration, pages []string) error {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.ExecPath("chromium-headless-shell")) // as the tests
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	ctx, cancel := chromedp.NewContext(alloc)
	defer cancel()
	chromedp.ListenTarget(ctx, report)
	if err := chromedp.Run(ctx, cdplog.Enable(), chromedp.Navigate(link), chromedp.Sleep(wait)); err != nil {
		return err
	}
	base, _, _ := strings.Cut(link, "/oauth/")

	for _, look := range looks {
		width, height, scheme := int64(1440), int64(900), "light"
		if strings.Contains(look, "phone") {
			width, height = 390, 844
		}
		if strings.Contains(look, "dark") {
			scheme = "dark"
		}
		if err := chromedp.Run(ctx, emulation.SetDeviceMetricsOverride(width, height, 1, width < 500),
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}})); err != nil {
			return err
		}
		for _, p := range pages {
			name, path, _ := strings.Cut(p, "=")
			var picture []byte
			steps := []chromedp.Action{chromedp.Navigate(base + path), chromedp.Sleep(wait)}
			if do != "" {
				await := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
				steps = append(steps, chromedp.Evaluate("(async () => {"+do+"})()", nil, await), chromedp.Sleep(wait))
			}
			if err := chromedp.Run(ctx, append(steps, chromedp.CaptureScreenshot(&picture))...); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			file := filepath.Join(out, name+"-"+look+".png")
			if err := os.WriteFile(file, picture, 0o644); err != nil { //nolint:gosec // pictures for everyone
				return err
			}
			fmt.Println(file)
		}
	}
	return nil
}

// report prints what the browser complains about.
func report(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fmt.Println("exception:", e.ExceptionDetails.Error())
	case *cdplog.EventEntryAdded:
		fmt.Println(e.Entry.Level, e.Entry.Text, e.Entry.URL)
	case *runtime.EventConsoleAPICalled:
		for _, a := range e.Args {
			fmt.Println("console:", string(a.Value), a.Description)
		}
	}
}
