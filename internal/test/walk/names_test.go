package walk_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/railkit/railkit/api"
	"github.com/railkit/railkit/internal/test/apptest"
	"github.com/railkit/railkit/internal/test/walk"
	"github.com/railkit/railkit/text"
)

// raw are the fields that take any text, each with the reason. All others are shown to
// people by their characters.
var raw = map[string]string{
	"signedActivity.body": "the very bytes that a passkey stamped; the signer reads them strictly",
	"payload":             "what is to be signed is not for this server to choose",
}

// No text of any operation can hold what is not seen: the OpenAPI document lists them.
func TestPlatform_H15_NamesAreSeen(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	texts, tried := bodiesOf(t), 0
	slices.SortStableFunc(s.register, publicLast) // for them the clock moves, which the signer does not follow
	for _, op := range s.register {
		make, walked := walk.Mutations[op.ID]
		if !walked || len(texts[op.ID]) == 0 {
			continue
		}
		if op.Public {
			s.now.move(time.Minute)
		}
		r := make(s.own)
		if r.Page {
			continue // its server has the same checks
		}
		for _, path := range texts[op.ID] {
			if raw[strings.Join(path, ".")] != "" {
				continue
			}
			for _, bad := range []string{"Ana\u202enimda", "Ana\nperez", "An\u200ba"} {
				hidden := r
				hidden.Body = with(t, r.Body, path, bad)
				if hidden.Body == "" {
					break // an object that this request does not have
				}
				got := hidden.Send(s.own)
				tried++
				message, _ := got.Field("message").(string)
				if got.Status != http.StatusBadRequest ||
					!strings.Contains(message, path[len(path)-1]+" "+text.Unseen) {
					t.Errorf("%s, %s: %s", op.ID, strings.Join(path, "."), brief(got))
				}
			}
		}
	}
	if tried < 300 {
		t.Errorf("only %d texts were tried", tried)
	}
}

// bodiesOf are the paths of all texts in the bodies of each operation.
func bodiesOf(t *testing.T) map[string][][]string {
	t.Helper()
	document, err := api.OpenAPI("sandbox")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			RequestBody struct {
				Content map[string]struct{ Schema jsonSchema }
			}
		}
		Components struct{ Schemas map[string]jsonSchema }
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	all := map[string][][]string{}
	for _, methods := range doc.Paths {
		for _, op := range methods {
			all[op.OperationID] = op.RequestBody.Content["application/json"].Schema.texts(doc.Components.Schemas, nil)
		}
	}
	return all
}

type jsonSchema struct {
	Ref        string `json:"$ref"`
	Type       any
	Properties map[string]jsonSchema
}

func (s jsonSchema) texts(named map[string]jsonSchema, path []string) (all [][]string) {
	if s.Ref != "" {
		s = named[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if s.Type == "string" {
		return [][]string{path}
	}
	for name, of := range s.Properties {
		all = append(all, of.texts(named, append(path[:len(path):len(path)], name))...)
	}
	return all
}

// with puts a text into a body. It is empty where the body has not the object.
func with(t *testing.T, body string, path []string, value string) string {
	t.Helper()
	root := map[string]any{}
	if body != "" {
		if err := json.Unmarshal([]byte(body), &root); err != nil {
			t.Fatal(err)
		}
	}
	in := root
	for _, name := range path[:len(path)-1] {
		inner, ok := in[name].(map[string]any)
		if !ok {
			return ""
		}
		in = inner
	}
	in[path[len(path)-1]] = value
	return apptest.JSON(t, root)
}
