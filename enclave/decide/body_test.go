package decide

import (
	"strings"
	"testing"
)

// What is wrong with a body is told by where, and never by what stands there: a
// cause ends in the server's log.
func TestSigning_K06_NoValueOfTheBodyInAnError(t *testing.T) {
	const canary = "canary7f3a"
	frame := func(params string) string {
		return `{"type":"ACTIVITY_TYPE_SIGN_INTENT","environment":"sandbox","organizationId":"o",` +
			`"activityId":"11111111-1111-4111-8111-111111111111",` +
			`"timestampMs":"1","expiresAtMs":"2","parameters":` + params + `}`
	}
	for what, body := range map[string]string{
		"unknown member":           `{"` + canary + `":1}`,
		"member twice":             `{"` + canary + `":1,"` + canary + `":2}`,
		"no JSON":                  canary,
		"number for text":          `{"type":1234567890123}`,
		"unknown member below":     frame(`{"` + canary + `":1}`),
		"member twice below":       frame(`{"` + canary + `":1,"` + canary + `":2}`),
		"text for an object":       frame(`"` + canary + `"`),
		"object for text":          frame(`{"to":{"` + canary + `":1}}`),
		"unknown member far below": frame(`{"transfer":{"` + canary + `":1}}`),
		"unknown type":             `{"type":"` + canary + `","parameters":{}}`,
		"not a transaction": strings.Replace(frame(`{"signWith":"`+canary+`"}`),
			"SIGN_INTENT", "SIGN_TRANSACTION", 1),
		"activityId is not a UUID ": strings.Replace(frame(`{}`), "11111111-1111", canary, 1),
	} {
		_, err := Parse(body)
		if err == nil {
			continue // what Decide refuses
		}
		if text := err.Error(); strings.Contains(text, canary) || strings.Contains(text, "1234567890123") {
			t.Errorf("%s: the error holds the value: %s", what, text)
		}
	}
}
