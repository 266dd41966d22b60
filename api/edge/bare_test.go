package edge_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/fault"
	"github.com/railkit/railkit/platform/auth"
	"github.com/railkit/railkit/platform/command"
)

type bareThing struct {
	Body struct {
		Wrap bool `json:"wrap,omitempty"`
	}
}

// bare is a server with operations whose answers have no envelope.
func bare(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	edge.Get(f.Server, edge.Op{ID: "getBare", Path: "/v1/bare/{id}", Tag: "T", Bare: true},
		func(_ context.Context, _ auth.Principal, in *oneThing) (thing, error) {
			if in.ID != "t1" {
				return thing{}, fault.Missing("Thing")
			}
			return thing{ID: "t1"}, nil
		})
	edge.List(f.Server, edge.Op{ID: "listBare", Path: "/v1/bare", Tag: "T", Bare: true},
		func(_ context.Context, _ auth.Principal, in *manyThings) (edge.Page[thing], error) {
			if in.Cursor != "" {
				return edge.Page[thing]{}, nil
			}
			return edge.Page[thing]{Data: []thing{{ID: "a"}}, Listed: edge.Listed{NextCursor: "n+1"}}, nil
		})
	edge.Write[thing](f.Server, edge.Op{
		ID: "makeBare", Path: "/v1/bare", Tag: "T", Status: 201, Bare: true, Known: true,
		Wrapped: thing{},
	}, func(_ context.Context, cmd *command.Command, in *bareThing) (command.Answer, error) {
		return f.commit(cmd, command.Reply{Status: 201, Data: thing{ID: "made"}, Bare: !in.Body.Wrap})
	})
	return f
}

// What is bare is the data alone. A refusal has the envelope all the same.
func TestBareAnswers(t *testing.T) {
	f := bare(t)
	for _, c := range []struct{ method, path, body, want, link string }{
		{"GET", "/v1/bare/t1", "", `{"id":"t1","name":""}`, ""},
		{"GET", "/v1/bare?limit=1&page=2", "", `[{"id":"a","name":""}]`,
			`</v1/bare?cursor=n%2B1&limit=1>; rel="next"`},
		{"GET", "/v1/bare?cursor=" + edge.EncodeCursor(f.now, "a"), "", `[]`, ""},
		{"POST", "/v1/bare", "{}", `{"id":"made","name":""}`, ""},
	} {
		w := f.send(c.method, c.path, c.body)
		if w.Code/100 != 2 || w.Body.String() != c.want+"\n" || w.Header().Get("Link") != c.link {
			t.Errorf("%s %s: %d %s, link %s", c.method, c.path, w.Code, w.Body, w.Header().Get("Link"))
		}
	}
	if w := f.send("POST", "/v1/bare", `{"wrap":true}`); message(t, w, "/v1/bare") != "Success" || w.Code != 201 {
		t.Errorf("the other form: %d %s", w.Code, w.Body)
	}
	w := f.send("GET", "/v1/bare/t2", "")
	if message(t, w, "/v1/bare/t2") != "Thing not found" || w.Code != http.StatusNotFound {
		t.Errorf("a refusal: %d %s", w.Code, w.Body)
	}
}

// The document shows bare answers as they are, and both forms where there are two.
func TestBareAnswersInTheDocument(t *testing.T) {
	raw, err := bare(t).Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct {
					Schema struct {
						Ref   string `json:"$ref"`
						Type  string
						OneOf []struct {
							Ref string `json:"$ref"`
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	const media, schemas = "application/json", "#/components/schemas/"
	one := doc.Paths["/v1/bare/{id}"]["get"].Responses["200"].Content[media].Schema
	list := doc.Paths["/v1/bare"]["get"].Responses["200"].Content[media].Schema
	if one.Ref != schemas+"Thing" || list.Type != "array" {
		t.Errorf("%+v, %+v", one, list)
	}
	for _, status := range []string{"200", "201"} {
		either := doc.Paths["/v1/bare"]["post"].Responses[status].Content[media].Schema.OneOf
		if len(either) != 2 || either[0].Ref != schemas+"Thing" || either[1].Ref != schemas+"ThingEnvelope" {
			t.Errorf("%s: %+v", status, either)
		}
	}
}
