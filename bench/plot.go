package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
)

// chart is a plot of lines, written as SVG.
type chart struct {
	title, x, y string // the labels of the axes have units
	doubling    bool   // each step on the x-axis doubles the value
	lines       []line
}

// line is a series of points. Its style is the name of a class in plotStyle.
type line struct {
	name, style string
	points      []point
}

type point struct{ x, y float64 }

const (
	plotWidth, plotHeight                    = 760, 420
	plotLeft, plotRight, plotTop, plotBottom = 76, 150, 56, 64
)

// plotStyle has colors for light and dark pages. Lines also differ in their marks and
// their names, for readers who can't distinguish the colors.
const plotStyle = `
text { font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 }
.back { fill: #ffffff }
.grid { stroke: #d8dee4 }
.axis { stroke: #59636e }
.small { fill: #59636e }
path { fill: none; stroke-width: 2.5; stroke-linejoin: round }
.slipway { --c: #0a5fd6 } .pocketbase { --c: #b54708 } .bare { --c: #59636e } .goal { --c: #1a7f37 }
.slipway path, .pocketbase path, .bare path, .goal path { stroke: var(--c) }
.slipway .mark, .pocketbase .mark, .bare .mark { fill: var(--c) }
.slipway text, .pocketbase text, .bare text, .goal text { fill: var(--c); font-weight: 600 }
.bare path { stroke-dasharray: 7 4 } .goal path { stroke-dasharray: 2 4 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.back { fill: #0d1117 }
.grid { stroke: #2f3742 }
.axis { stroke: #9198a1 }
.small { fill: #9198a1 }
.slipway { --c: #6cb6ff } .pocketbase { --c: #f5a95f } .bare { --c: #a9b3bd } .goal { --c: #57ab5a }
}
`

// svg draws the chart.
func (c chart) svg() string {
	var b strings.Builder
	right, bottom := plotWidth-plotRight, plotHeight-plotBottom
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img"`+
		` aria-labelledby="t d">`+"\n",
		plotWidth, plotHeight, plotWidth, plotHeight)
	fmt.Fprintf(&b, "<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n<style>%s</style>\n",
		html.EscapeString(c.title), html.EscapeString(c.description()), plotStyle)
	fmt.Fprintf(&b, `<rect class="back" width="%d" height="%d" rx="6"/>`+"\n", plotWidth, plotHeight)
	fmt.Fprintf(&b, `<text class="title" x="%d" y="30">%s</text>`+"\n", plotLeft, html.EscapeString(c.title))

	xs, ys := c.xTicks(), ticks(c.highest())
	for _, y := range ys {
		at := c.yAt(y, ys)
		fmt.Fprintf(&b, `<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/>`, plotLeft, right, at, at)
		fmt.Fprintf(&b, `<text class="small" x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", plotLeft-10, at+5, thousands(y))
	}
	for _, x := range xs {
		fmt.Fprintf(&b, `<line class="axis" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`, c.xAt(x, xs), c.xAt(x, xs), bottom, bottom+5)
		fmt.Fprintf(&b, `<text class="small" x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", c.xAt(x, xs), bottom+22, thousands(x))
	}
	fmt.Fprintf(&b, `<line class="axis" x1="%d" x2="%d" y1="%d" y2="%d"/>`+"\n", plotLeft, right, bottom, bottom)
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (plotLeft+right)/2, plotHeight-16, html.EscapeString(c.x))
	fmt.Fprintf(&b, `<text transform="translate(20 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(plotTop+bottom)/2, html.EscapeString(c.y))

	labels := c.labels(ys)
	for i, l := range c.lines {
		var path []string
		for _, p := range l.points {
			path = append(path, fmt.Sprintf("%.1f %.1f", c.xAt(p.x, xs), c.yAt(p.y, ys)))
		}
		fmt.Fprintf(&b, `<g class="%s"><path d="M%s"/>`, l.style, strings.Join(path, " L"))
		if l.style != "goal" {
			for _, p := range l.points {
				b.WriteString(dot(l.style, c.xAt(p.x, xs), c.yAt(p.y, ys)))
			}
		}
		fmt.Fprintf(&b, `<text x="%d" y="%.1f">%s</text></g>`+"\n", right+12, labels[i]+5, html.EscapeString(l.name))
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// dot draws a point: a circle, a square or a triangle.
func dot(style string, x, y float64) string {
	switch style {
	case "pocketbase":
		return fmt.Sprintf(`<rect class="mark" x="%.1f" y="%.1f" width="8" height="8"/>`, x-4, y-4)
	case "bare":
		return fmt.Sprintf(`<polygon class="mark" points="%.1f,%.1f %.1f,%.1f %.1f,%.1f"/>`, x-5, y+4, x+5, y+4, x, y-5)
	}
	return fmt.Sprintf(`<circle class="mark" cx="%.1f" cy="%.1f" r="4.5"/>`, x, y)
}

// description has the values, for readers who can't see the plot.
func (c chart) description() string {
	var parts []string
	for _, l := range c.lines {
		var values []string
		for _, p := range l.points {
			values = append(values, thousands(p.x)+": "+thousands(p.y))
		}
		parts = append(parts, l.name+": "+strings.Join(values, ", "))
	}
	return c.y + " by " + c.x + ". " + strings.Join(parts, ". ") + "."
}

func (c chart) highest() (top float64) {
	for _, l := range c.lines {
		for _, p := range l.points {
			top = max(top, p.y)
		}
	}
	return top
}

// xTicks returns the values of the points if they double, or round numbers.
func (c chart) xTicks() []float64 {
	if c.doubling {
		var all []float64
		for _, l := range c.lines {
			for _, p := range l.points {
				all = append(all, p.x)
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	var most float64
	for _, l := range c.lines {
		for _, p := range l.points {
			most = max(most, p.x)
		}
	}
	return ticks(most)
}

func (c chart) xAt(x float64, ticks []float64) float64 {
	first, last := ticks[0], ticks[len(ticks)-1]
	part := (x - first) / (last - first)
	if c.doubling {
		part = math.Log2(x/first) / math.Log2(last/first)
	}
	return plotLeft + part*(plotWidth-plotRight-plotLeft)
}

func (c chart) yAt(y float64, ticks []float64) float64 {
	return plotHeight - plotBottom - y/ticks[len(ticks)-1]*(plotHeight-plotBottom-plotTop)
}

// labels returns the heights of the names of the lines: at their ends, without
// overlaps.
func (c chart) labels(ys []float64) []float64 {
	const apart = 18
	order, heights := make([]int, len(c.lines)), make([]float64, len(c.lines))
	for i, l := range c.lines {
		order[i], heights[i] = i, c.yAt(l.points[len(l.points)-1].y, ys)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if heights[a] < heights[b] {
			return -1
		}
		return 1
	})
	for i := 1; i < len(order); i++ {
		heights[order[i]] = max(heights[order[i]], heights[order[i-1]]+apart)
	}
	return heights
}

// ticks returns round numbers from 0 to at least the highest value, about five.
func ticks(highest float64) []float64 {
	if highest <= 0 {
		return []float64{0, 1}
	}
	unit := math.Pow(10, math.Floor(math.Log10(highest)))
	size := unit
	for _, factor := range []float64{0.2, 0.25, 0.5, 1, 2} {
		if size = unit * factor; highest/size <= 6 {
			break
		}
	}
	var all []float64
	for i := 0; ; i++ {
		all = append(all, float64(i)*size)
		if all[i] >= highest {
			return all
		}
	}
}

// thousands formats a number with commas, and with decimals only if it is small.
func thousands(n float64) string {
	if n != math.Trunc(n) && n < 100 {
		return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(n, 'f', 2, 64), "0"), ".")
	}
	text := strconv.FormatFloat(math.Round(n), 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
