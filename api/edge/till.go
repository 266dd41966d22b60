package edge

import (
	"context"
	"maps"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Till is what an operation that is paid by x402 reads of the request's headers, and says in the answer's.
type Till struct {
	Header http.Header // of the request, the headers of x402 alone
	Origin string      // at which the request reached this server
	Answer http.Header
}

// TillOf is the till of a call of an operation with Op.Pays.
func TillOf(ctx context.Context) *Till { return callOf(ctx).till }

// paying are the headers that have a payment, of version 2 and 1.
var paying = []string{"PAYMENT-SIGNATURE", "X-PAYMENT"}

// OriginOf is the origin at which a request reached the API, as it names it.
func OriginOf(ctx context.Context) string { return callOf(ctx).origin }

func newTill(r *http.Request) *Till {
	t := &Till{Header: http.Header{}, Origin: OriginOf(r.Context()), Answer: http.Header{}}
	for _, name := range paying {
		name = http.CanonicalHeaderKey(name)
		if values := r.Header.Values(name); len(values) > 0 {
			t.Header[name] = values
		}
	}
	return t
}

// writeHeaders writes the answer's headers.
func (t *Till) writeHeaders(w http.ResponseWriter) {
	if t != nil {
		maps.Copy(w.Header(), t.Answer)
	}
}

// describePays says in the document how an operation is paid.
func describePays(h *huma.Operation) {
	for i, text := range []string{
		"A payment by x402, version 2: base64 of JSON. The answer to a paid call has the receipt in PAYMENT-RESPONSE.",
		"The same of version 1; the receipt is in X-PAYMENT-RESPONSE.",
	} {
		h.Parameters = append(h.Parameters, &huma.Param{
			Name: paying[i], In: "header", Schema: &huma.Schema{Type: huma.TypeString}, Description: text,
		})
	}
}
