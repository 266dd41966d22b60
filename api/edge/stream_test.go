package edge_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/railkit/railkit/api/edge"
	"github.com/railkit/railkit/platform/auth"
)

type fileIn struct {
	Parts  int  `query:"parts"`
	Broken bool `query:"broken" doc:"an error comes after the parts"`
}

// streaming serves a file of so many parts.
func streaming(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	edge.Stream(f.Server, edge.Op{ID: "getFile", Path: "/v1/file", Tag: "T"},
		[]edge.Form{{Media: "text/csv", Example: "a\r\n"}, {Media: "application/x-ndjson", Line: thing{}}},
		func(ctx context.Context, _ auth.Principal, in *fileIn) (*edge.File, error) {
			return &edge.File{Name: "things.csv", Media: "text/csv", Parts: parts(ctx, in)}, nil
		})
	return f
}

func parts(ctx context.Context, in *fileIn) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for range in.Parts {
			if ctx.Err() != nil {
				yield(nil, ctx.Err())
				return
			}
			if !yield([]byte(strings.Repeat("a", 999)+"\n"), nil) {
				return
			}
		}
		if in.Broken {
			yield(nil, errors.New("disk on fire"))
		}
	}
}

func TestStream(t *testing.T) {
	f := streaming(t)
	w := f.send("GET", "/v1/file?parts=3", "")
	h := w.Header()
	if w.Code != 200 || w.Body.Len() != 3000 || h.Get("Content-Type") != "text/csv" ||
		h.Get("Content-Disposition") != `attachment; filename="things.csv"` || h.Get("Cache-Control") != "no-store" ||
		h.Get("Content-Length") != "" || h.Get("X-Content-Type-Options") != "nosniff" || !w.Flushed {
		t.Errorf("%d, %d bytes, %v", w.Code, w.Body.Len(), h)
	}
	if w := f.send("GET", "/v1/file?parts=0", ""); w.Code != 200 || w.Body.Len() != 0 ||
		w.Header().Get("Content-Type") != "text/csv" {
		t.Errorf("no parts: %d %s", w.Code, w.Body)
	}
	if w := f.send("HEAD", "/v1/file?parts=3", ""); w.Code != 200 || w.Body.Len() != 0 {
		t.Errorf("HEAD: %d %s", w.Code, w.Body)
	}
}

// One operation answers in the envelope or with a file, and the document has both.
func TestGetOrFile(t *testing.T) {
	f := newFixture(t)
	edge.GetOrFile(f.Server, edge.Op{ID: "getEither", Path: "/v1/either", Tag: "T"},
		[]edge.Form{{Media: "text/csv", Example: "a\r\n"}},
		func(ctx context.Context, _ auth.Principal, in *fileIn) (thing, *edge.File, error) {
			if in.Broken {
				return thing{}, nil, errors.New("disk on fire")
			}
			if in.Parts == 0 {
				return thing{Name: "one"}, nil, nil
			}
			return thing{}, &edge.File{Name: "things.csv", Media: "text/csv", Parts: parts(ctx, in)}, nil
		})
	if w := f.send("GET", "/v1/either", ""); w.Code != 200 || !strings.Contains(w.Body.String(), `"success":true`) ||
		!strings.Contains(w.Body.String(), `"one"`) {
		t.Errorf("the envelope: %d %s", w.Code, w.Body)
	}
	if w := f.send("GET", "/v1/either?parts=3", ""); w.Code != 200 || w.Body.Len() != 3000 ||
		w.Header().Get("Content-Type") != "text/csv" {
		t.Errorf("the file: %d %v", w.Code, w.Header())
	}
	wantStatus(t, "neither", f.send("GET", "/v1/either?broken=true", ""), 500, "internal")
	document, err := f.Document()
	if err != nil || !strings.Contains(string(document), `"text/csv"`) ||
		!strings.Contains(string(document), "ThingEnvelope") {
		t.Errorf("the document: %v", err)
	}
}

// Whatever is refused before the first part has the envelope.
func TestStream_Refuses(t *testing.T) {
	f := streaming(t)
	wantStatus(t, "no part could be made", f.send("GET", "/v1/file?broken=true", ""), 500, "internal")
	wantStatus(t, "a wrong query", f.send("GET", "/v1/file?parts=x", ""), 400, "validation_failed")
	wantStatus(t, "HTTP/1.0", f.send("GET", "/v1/file?parts=1", "", func(r *http.Request) {
		r.Proto, r.ProtoMinor = "HTTP/1.0", 0
	}), 400, "http_version")
}

// A client sees that the server failed in the middle, and the log has why.
func TestStream_FailsInItsMiddle(t *testing.T) {
	f := streaming(t)
	server := httptest.NewServer(f)
	defer server.Close()
	body := fetch(t, t.Context(), f, server.URL+"/v1/file?parts=20&broken=true")
	defer body.Close()
	got, err := io.ReadAll(body)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(got) != 20_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	server.Close() // after the line of the log
	if line := f.log.String(); !strings.Contains(line, "disk on fire") || !strings.Contains(line, `"level":"ERROR"`) {
		t.Errorf("the log: %s", line)
	}
}

// When the client hangs up, nothing more is read.
func TestStream_ClientHangsUp(t *testing.T) {
	f := streaming(t)
	server := httptest.NewServer(f)
	defer server.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	body := fetch(t, ctx, f, server.URL+"/v1/file?parts=1000000000")
	if _, err := io.ReadFull(body, make([]byte, 5000)); err != nil {
		t.Fatal(err)
	}
	hangUp()
	body.Close()
	server.Close() // waits for the call, whose parts would take hours
	if line := f.log.String(); !strings.Contains(line, "getFile") || strings.Contains(line, `"level":"ERROR"`) {
		t.Errorf("the log: %s", line)
	}
}

func fetch(t *testing.T, ctx context.Context, f *fixture, url string) io.ReadCloser {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "ApiKey "+f.key)
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v %v", res, err)
	}
	return res.Body
}
