package docs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostReadme is what a stranger reads before deciding to go on: about five minutes.
const mostReadme = 12_000

func TestReadmeIsShort(t *testing.T) {
	if n := len(read(t, "../README.md")); n > mostReadme {
		t.Errorf("README.md has %d bytes, more than %d: move a part of it to a page of docs", n, mostReadme)
	}
}

// Every page is in the index, so that a reader who does not know its name finds it. The pages beside the README are
// linked from it.
func TestEveryPageIsLinkedTo(t *testing.T) {
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	index := linksOf(read(t, "README.md"))
	for _, page := range pages {
		if page != "README.md" && !slices.Contains(index, page) {
			t.Errorf("docs/README.md does not name %s", page)
		}
	}
	beside, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	front := linksOf(read(t, "../README.md"))
	for _, page := range beside {
		if page = filepath.Base(page); page != "README.md" && !slices.Contains(front, page) {
			t.Errorf("README.md does not link to %s", page)
		}
	}
}

// linksOf are the places that a document links to, without headings.
func linksOf(text string) (all []string) {
	for _, m := range link.FindAllStringSubmatch(text, -1) {
		path, _, _ := strings.Cut(m[1], "#")
		all = append(all, path)
	}
	return all
}

// llms is the index for programs that read it in place of a person (https://llmstxt.org): what Railkit is, in the
// README's words, and the pages by who reads them.
func llms(t *testing.T) string {
	t.Helper()
	paragraphs := strings.Split(read(t, "../README.md"), "\n\n")
	_, lists, found := strings.Cut(read(t, "README.md"), "\n## ")
	if len(paragraphs) < 3 || !found {
		t.Fatal("README.md or docs/README.md begins otherwise")
	}
	lists = strings.NewReplacer("](../", "](", "](", "](docs/").Replace(lists)
	what := link.ReplaceAllString(strings.ReplaceAll(paragraphs[1], "\n", " "), "]")
	what = strings.NewReplacer("[", "", "]", "").Replace(what)
	return "# Railkit\n\n> " + what + "\n\nThe interface is in [OpenAPI 3.1](api/openapi.json).\n\n## " + lists
}
