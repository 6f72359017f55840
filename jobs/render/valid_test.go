package render

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// checkPage holds a page to what every page keeps: it is well-formed, needs nothing from outside and no script, its ids
// are unique and what refers to one finds it, and every picture has a name and a description.
func checkPage(t *testing.T, name, page string) {
	t.Helper()
	checkTags(t, name, page)
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(name, err)
	}
	ids, wanted := map[string]bool{}, map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "script" || n.Data == "iframe" || n.Data == "img" {
			t.Errorf("%s has a <%s>", name, n.Data)
		}
		for _, a := range n.Attr {
			checkAttribute(t, name, n, a, ids, wanted)
		}
	}
	for id := range wanted {
		if !ids[id] {
			t.Errorf("%s refers to the id %q, which it does not have", name, id)
		}
	}
	if m := regexp.MustCompile(`(?i)https?:|url\(|@import|//[a-z]`).FindString(page); m != "" {
		t.Errorf("%s reaches outside: %s", name, m)
	}
}

func checkAttribute(t *testing.T, name string, n *html.Node, a html.Attribute, ids, wanted map[string]bool) {
	t.Helper()
	switch {
	case strings.HasPrefix(a.Key, "on"):
		t.Errorf("%s has a handler %s", name, a.Key)
	case a.Key == "id" && ids[a.Val]:
		t.Errorf("%s has the id %q twice", name, a.Val)
	case a.Key == "id":
		ids[a.Val] = true
	case a.Key == "aria-labelledby":
		for _, id := range strings.Fields(a.Val) {
			wanted[id] = true
		}
	case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
		wanted[a.Val[1:]] = true
	case (a.Key == "href" || a.Key == "src") && a.Val != "data:,":
		t.Errorf("%s refers to %s from <%s>", name, a.Val, n.Data)
	}
}

// unclosed are the elements of a page that have no end tag.
var unclosed = map[string]bool{"meta": true, "link": true, "wbr": true}

// checkTags holds a page to closing what it opens, in order: a parser would mend it in silence.
func checkTags(t *testing.T, name, page string) {
	t.Helper()
	var open []string
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%s leaves open: %s", name, strings.Join(open, " "))
			}
			return
		case html.StartTagToken:
			if tag, _ := z.TagName(); !unclosed[string(tag)] {
				open = append(open, string(tag))
			}
		case html.EndTagToken:
			tag, _ := z.TagName()
			if len(open) == 0 || open[len(open)-1] != string(tag) {
				t.Fatalf("%s closes <%s> where %v are open", name, tag, open)
			}
			open = open[:len(open)-1]
		}
	}
}
