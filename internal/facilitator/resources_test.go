package facilitator

import "testing"

// What is listed is where a shop sells, and nothing of what one buyer asked for there.
func TestFacilitatorListsRoutes(t *testing.T) {
	for _, c := range []struct{ url, template, want string }{
		{"https://shop.example/weather", "", "https://shop.example/weather"},
		{"https://shop.example:8443/weather?city=Rome#now", "", "https://shop.example:8443/weather"},
		{"https://shop.example/people/Ana?x=1", "/people/:id", "https://shop.example/people/:id"},
		{"https://ana:secret@shop.example/a", "", "https://shop.example/a"},
		{"mcp://shop.example/tool?x=1", "", "mcp://shop.example/tool"},
		{"https://shop.example", "", "https://shop.example"},
		{"https://SHOP.example:443/a", "", "https://shop.example/a"},
		{"https://shop.example/people/Ana", "people/:id", "https://shop.example/people/Ana"},
		{"https://shop.example/people/Ana", "/../:id", "https://shop.example/people/Ana"},
		{"https://shop.example/people/Ana", "/%2e%2e/:id", "https://shop.example/people/Ana"},
		{"https://shop.example/people/Ana", "/a?b", "https://shop.example/people/Ana"},
		{"https://shop.example/people/Ana", "/https://other.example", "https://shop.example/people/Ana"},
		{"/weather", "", ""}, {"", "", ""}, {"https://", "/a", ""}, {"data:text/plain,Ana", "", ""},
	} {
		if got := route(c.url, c.template); got != c.want {
			t.Errorf("%s with %q: %q", c.url, c.template, got)
		}
	}
}
