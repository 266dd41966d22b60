package edge

import (
	"net/http/httptest"
	"net/netip"
	"reflect"
	"testing"
)

type color string

type paging struct {
	Limit int `query:"limit" default:"50"`
}

type everyKind struct {
	paging
	Wallet string     `path:"walletId"`
	Color  color      `query:"color"`
	Colors []color    `query:"colors"`
	Wide   bool       `query:"wide"`
	Count  uint32     `query:"count"`
	Share  float64    `query:"share"`
	From   netip.Addr `query:"from"`
	Stamp  string     `header:"X-Stamp"`
	Body   struct{ Name string }
}

func TestInput(t *testing.T) {
	o := &operation{input: reflect.TypeFor[everyKind]()}
	o.sources = sources(o.input, nil)
	r := httptest.NewRequest("GET", "/?color=red&colors=red,blue&wide=true&count=7&share=0.5&from=192.0.2.1", nil)
	r.SetPathValue("walletId", "w")
	r.Header.Set("X-Stamp", "s")
	in, err := o.bind(r, r.URL.Query(), reflect.ValueOf(struct{ Name string }{"n"}))
	want := &everyKind{
		paging{50}, "w", "red", []color{"red", "blue"}, true, 7, 0.5, netip.MustParseAddr("192.0.2.1"), "s",
		struct{ Name string }{"n"},
	}
	if err != nil || !reflect.DeepEqual(in, want) {
		t.Errorf("%+v, %v", in, err)
	}
	for _, query := range []string{"count=4294967296", "limit=9223372036854775808", "wide=yes", "share=x", "from=x"} {
		r := httptest.NewRequest("GET", "/?"+query, nil)
		if in, err := o.bind(r, r.URL.Query(), reflect.Value{}); err == nil {
			t.Errorf("%s: %+v", query, in)
		}
	}
}

// A type that no text can be read into is found at the first start.
func TestInputOfNoParameter(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it was taken")
		}
	}()
	sources(reflect.TypeFor[struct {
		At map[string]string `query:"at"`
	}](), nil)
}
