package rest

import (
	"encoding/json"
	"testing"
)

func TestNumberKeepsItsDigits(t *testing.T) {
	for _, text := range []string{
		"0", "0.1", "100.50", "12345678901234567890.123456", "-1", "1e3", "0.30000000000000004",
	} {
		var v struct {
			N Number `json:"n,omitzero"`
		}
		if err := json.Unmarshal([]byte(`{"n":`+text+`}`), &v); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if raw, err := json.Marshal(v); err != nil || string(raw) != `{"n":`+text+`}` {
			t.Errorf("%s came back as %s, %v", text, raw, err)
		}
	}
	for _, text := range []string{`"1"`, "null", "true", "[]"} {
		if json.Unmarshal([]byte(text), new(Number)) == nil {
			t.Errorf("%s was read", text)
		}
	}
	if _, err := json.Marshal(Number("")); err == nil {
		t.Error("no number was written")
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[Number]bool{
		"0": true, "1.000001": true, "1.0000001": false, "-1": false, "1e3": false, "": false, "100": true, "5.": false,
	} {
		if text.Plain(6) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}
