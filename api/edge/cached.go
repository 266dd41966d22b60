package edge

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// tagOf is the entity tag of data (RFC 9110, 8.8.3). It is weak, since the envelope around the data has the time of
// each answer.
func tagOf(data any) (string, error) {
	raw, err := json.Marshal(data, json.Deterministic(true))
	sum := sha256.Sum256(raw)
	return `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`, err
}

// writeCached writes an answer that anybody may keep for a while, or that it still is the one that the caller has.
func writeCached(w http.ResponseWriter, r *http.Request, maxAge time.Duration, a *answer) {
	h := w.Header()
	h.Set("ETag", a.tag)
	keep := fmt.Sprintf("public, max-age=%d", int(maxAge.Seconds()))
	if has(r.Header.Values("If-None-Match"), a.tag) {
		h.Set("Cache-Control", keep)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	writeAs(w, a.status, keep, a.body)
}

// has tells whether a caller has the answer of a tag. Tags are compared weakly: W/ does not count.
func has(lines []string, tag string) bool {
	for _, line := range lines {
		for each := range strings.SplitSeq(line, ",") {
			each = strings.TrimSpace(each)
			if each == "*" || strings.TrimPrefix(each, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
	}
	return false
}
