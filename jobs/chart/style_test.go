package chart

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// palettes reads the colours of the light and the dark page from Style.
func palettes(t *testing.T) map[string]map[string]color3 {
	t.Helper()
	light, dark, ok := strings.Cut(Style, "prefers-color-scheme: dark")
	if !ok {
		t.Fatal("the style has no dark colours")
	}
	all := map[string]map[string]color3{"light": {}, "dark": {}}
	for name, css := range map[string]string{"light": light, "dark": dark} {
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`).FindAllStringSubmatch(css, -1) {
			all[name][m[1]] = parseColor(t, m[2])
		}
	}
	if len(all["light"]) < 20 || len(all["light"]) != len(all["dark"]) {
		t.Fatalf("%d light colours and %d dark ones", len(all["light"]), len(all["dark"]))
	}
	return all
}

// color3 is a colour in linear light: red, green, blue of 0 to 1.
type color3 [3]float64

func parseColor(t *testing.T, hex string) (c color3) {
	t.Helper()
	for i := range c {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		// sRGB's transfer function, IEC 61966-2-1.
		if s := float64(n) / 255; s <= 0.04045 {
			c[i] = s / 12.92
		} else {
			c[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return c
}

func (c color3) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast is the contrast ratio of WCAG 2.2: 1 to 21.
func contrast(a, b color3) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// Texts have the contrast of WCAG's AA (4.5), lines and areas that of 1.4.11 (3), on both grounds that they stand on.
func TestContrast(t *testing.T) {
	for scheme, colors := range palettes(t) {
		for name, least := range map[string]float64{
			"ink": 4.5, "soft": 4.5, "accent": 4.5, "axis": 3, "b0": 3,
			"c0": 3, "c1": 3, "c2": 3, "c3": 3, "c4": 3, "c5": 3, "c6": 3, "c7": 3, "rest": 3,
		} {
			grounds := []string{"ground"}
			if least > 3 {
				grounds = append(grounds, "page")
			}
			for _, ground := range grounds {
				if got := contrast(colors[name], colors[ground]); got < least {
					t.Errorf("%s: %s on %s has the contrast %.2f, below %g", scheme, name, ground, got, least)
				}
			}
		}
	}
}

// A heat map's colours go one way in lightness, and so do a band's: who sees no hue reads them too.
func TestRampsAreOrdered(t *testing.T) {
	for scheme, colors := range palettes(t) {
		for _, ramp := range [][]string{{"q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"}, {"b1", "b2", "b3"}} {
			for i := 1; i < len(ramp); i++ {
				before, after := colors[ramp[i-1]].luminance(), colors[ramp[i]].luminance()
				brighter := scheme == "dark"
				if ramp[0] == "b1" { // a band fades into the ground
					brighter = !brighter
				}
				if brighter != (after > before) || contrast(colors[ramp[i-1]], colors[ramp[i]]) < 1.1 {
					t.Errorf("%s: %s and %s are not in order: luminance %.3f and %.3f", scheme, ramp[i-1], ramp[i], before, after)
				}
			}
		}
	}
}

// blindness are the matrices of Machado, Oliveira and Fernandes (2009) for linear light at full severity.
var blindness = map[string][3][3]float64{
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"full sight":   {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
}

func (c color3) seen(m [3][3]float64) (out color3) {
	for i := range out {
		for k := range c {
			out[i] += m[i][k] * c[k]
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return out
}

// oklab is a colour in Björn Ottosson's Oklab, in which distances are as seen.
func (c color3) oklab() [3]float64 {
	l := math.Cbrt(0.4122214708*c[0] + 0.5363325363*c[1] + 0.0514459929*c[2])
	m := math.Cbrt(0.2119034982*c[0] + 0.6806995451*c[1] + 0.1073969566*c[2])
	s := math.Cbrt(0.0883024619*c[0] + 0.2817188376*c[1] + 0.6299787005*c[2])
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func distance(a, b color3) float64 {
	x, y := a.oklab(), b.oklab()
	return math.Sqrt((x[0]-y[0])*(x[0]-y[0]) + (x[1]-y[1])*(x[1]-y[1]) + (x[2]-y[2])*(x[2]-y[2]))
}

// The first four series, which most charts do not exceed, are told apart by colour-blind readers too; all eight by others.
func TestSeriesAreToldApart(t *testing.T) {
	for scheme, colors := range palettes(t) {
		for sight, m := range blindness {
			n, least := 4, 0.1
			if sight == "full sight" {
				n, least = seriesColors, 0.1
			}
			for i := range n {
				for k := range i {
					a, b := "c"+strconv.Itoa(k), "c"+strconv.Itoa(i)
					if d := distance(colors[a].seen(m), colors[b].seen(m)); d < least {
						t.Errorf("%s, %s: %s and %s are %.3f apart, below %g", scheme, sight, a, b, d, least)
					}
				}
			}
		}
	}
}
