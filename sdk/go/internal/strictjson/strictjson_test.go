package strictjson

import (
	"encoding/json"
	"testing"
)

func TestStrict(t *testing.T) {
	type inner struct {
		A string `json:"a"`
	}
	type outer struct {
		inner
		List []inner         `json:"list"`
		Any  map[string]any  `json:"any"`
		Raw  json.RawMessage `json:"raw"`
		Skip string          `json:"-"`
	}
	for _, good := range []string{`{}`, `{"a":"1","list":[{"a":"2"}],"any":{"x":1},"raw":{"y":[1]}}`, `{"list":null}`} {
		var v outer
		if err := Decode([]byte(good), &v); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		``, `{"b":1}`, `{"A":"1"}`, `{"a":"1","a":"1"}`, `{"list":[{"b":1}]}`, `{"Skip":"1"}`, `{"-":"1"}`, `{} {}`,
		`{}x`, `{"a":1}`, `{"raw":{"y":1,"y":2}}`, `{"list":{}}`, `[]`, `{"a":"1"`,
	} {
		var v outer
		if err := Decode([]byte(bad), &v); err == nil {
			t.Errorf("%s was read as %+v", bad, v)
		}
	}
}
