package edge

import (
	"io"
	"maps"
	"net/http"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/railkit/railkit/enclave/wire"
	"github.com/railkit/railkit/rest"
)

// Version is the version of the interface that OpenAPI declares.
const Version = "1.0"

const (
	schemaPath = "#/components/schemas/"
	errorRef   = "#/components/responses/Error"
	metaKey    = "edge"
	jsonType   = "application/json"
)

func init() {
	// A list is never null in our answers, and a null is no list in a request.
	huma.DefaultArrayNullable = false
}

// humaConfig leaves out all that huma adds by default: its own routes for
// document, docs and schemas, $schema in bodies, other formats than JSON.
func (s *Server) humaConfig() huma.Config {
	schemas := huma.NewMapRegistry(schemaPath, s.schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[rest.Number](), reflect.TypeFor[float64]())
	schemas.RegisterTypeAlias(reflect.TypeFor[wire.Proof](), reflect.TypeFor[rest.Proof]())
	refusal := schemas.Schema(reflect.TypeFor[ErrorEnvelope](), true, "")
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Tags:    s.tags(),
			Servers: []*huma.Server{{URL: "/", Description: "The server that this document came from"}},
			Info: &huma.Info{
				Title: "Railkit", Version: Version,
				Description: "Stablecoin payments, passkey wallets and paying agents.",
				License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Components: &huma.Components{
				Schemas: schemas,
				Responses: map[string]*huma.Response{"Error": {
					Description: "The call was refused or failed",
					Content:     map[string]*huma.MediaType{jsonType: {Schema: refusal}},
				}},
				SecuritySchemes: schemes,
			},
			Security: security(stockCallers),
		},
		Formats: map[string]huma.Format{
			jsonType: {Marshal: refuseToWrite, Unmarshal: decode}, "json": {Marshal: refuseToWrite, Unmarshal: decode},
		},
		DefaultFormat: jsonType,
	}
}

func (s *Server) tags() (tags []*huma.Tag) {
	for _, t := range s.Tags {
		tags = append(tags, &huma.Tag{Name: t.Name, Description: t.Description})
	}
	return tags
}

// refuseToWrite is huma's way to write a body: the edge does that itself.
func refuseToWrite(io.Writer, any) error { return nil }

// describe makes huma's operation. Its checks are switched off, for they come
// in another order, with the value in the message, and as 422.
func (s *Server) describe(o *operation, answer shown) huma.Operation {
	h := huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.describe(),
		Tags: []string{o.Tag}, DefaultStatus: o.Status,
		SkipValidateParams: true, SkipValidateBody: true, MaxBodyBytes: -1, BodyReadTimeout: -1,
		Responses:  map[string]*huma.Response{"default": {Ref: errorRef}},
		Extensions: map[string]any{"x-rate-class": string(o.class.Counted())},
		Metadata:   map[string]any{metaKey: o},
	}
	h.Responses[strconv.Itoa(o.Status)] = s.response(http.StatusText(o.Status), answer)
	if o.forms != nil {
		forms, in := s.describeForms(o.forms), h.Responses[strconv.Itoa(o.Status)]
		if o.enveloped {
			forms.Description = in.Description + ", or the file, sent while it is made"
			maps.Copy(forms.Content, in.Content)
		}
		h.Responses[strconv.Itoa(o.Status)] = forms
	}
	if o.Prepared != nil {
		s.describePrepared(o, &h)
	}
	if o.Known {
		h.Responses["200"] = s.response("It was there already", answer)
	}
	if o.Wrapped != nil {
		s.describeWrapped(o, &h)
	}
	if o.Queued {
		h.Responses["202"] = s.response("Queued for approval", shown{Type: reflect.TypeFor[QueuedEnvelope]()})
	}
	if len(o.Aliases) > 0 {
		h.Extensions["x-aliases"] = o.Aliases
	}
	if o.Module != "" {
		h.Extensions["x-module"] = string(o.Module)
	}
	if !slices.Equal(o.Callers, stockCallers) {
		h.Security = security(o.Callers)
	}
	if o.signed != nil {
		describeSigned(o, &h)
	}
	if o.Pays {
		describePays(&h)
	}
	if o.public {
		return h
	}
	if !o.Across && !strings.Contains(o.Path, "{integratorId}") {
		h.Parameters = append(h.Parameters, &huma.Param{Name: "integratorId", In: "query", Schema: &huma.Schema{
			Type: "string", Format: "uuid",
		},
			Description: "The workspace. Required with an ADMIN or INTERNAL key; with any other key it may only name the key's own workspace."})
	}
	if o.changes {
		h.Parameters = append(h.Parameters, &huma.Param{Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{
			Type: "string", Format: "uuid",
		},
			Description: "UUID v4. The same call under the same key answers the same bytes for 24 hours and happens once."})
	}
	return h
}

// describeSigned says what a webhook takes. huma must not read it.
func describeSigned(o *operation, h *huma.Operation) {
	h.RequestBody = &huma.RequestBody{
		Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: &huma.Schema{Type: huma.TypeObject}}},
	}
	h.Parameters = append(
		h.Parameters,
		&huma.Param{Name: o.Signature, In: "header", Required: true, Schema: &huma.Schema{Type: huma.TypeString}},
	)
}

func (o *operation) describe() string {
	text := o.Description
	if o.Dashboard {
		text += "\n\nFor the dashboard's own pages: the `Origin` header has to be theirs."
	}
	return strings.TrimSpace(text)
}

func (s *Server) response(description string, answer shown) *huma.Response {
	return jsonResponse(description, answer.schema(s))
}

func (t shown) schema(s *Server) *huma.Schema {
	return s.huma.OpenAPI().Components.Schemas.Schema(t.Type, true, t.name)
}

func jsonResponse(description string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}}
}

// describeWrapped adds the envelope to what the operation answers without one.
func (s *Server) describeWrapped(o *operation, h *huma.Operation) {
	wrapped := envelopes.of(reflect.TypeOf(o.Wrapped)).schema(s)
	for status, r := range h.Responses {
		if strings.HasPrefix(status, "2") {
			bare := r.Content[jsonType].Schema
			h.Responses[status] = jsonResponse(r.Description, &huma.Schema{OneOf: []*huma.Schema{bare, wrapped}})
		}
	}
}

// describePrepared adds the answer to prepare=true, which is a 200 like that of most changes. Where both are,
// the field outcome tells one from the other.
func (s *Server) describePrepared(o *operation, h *huma.Operation) {
	prepared := preparedEnvelopes.of(reflect.TypeOf(o.Prepared)).schema(s)
	done := h.Responses["200"]
	if done == nil {
		h.Responses["200"] = jsonResponse("Prepared: nothing has changed", prepared)
		return
	}
	either := done.Content[jsonType].Schema
	h.Responses["200"] = jsonResponse("Done, or with prepare=true prepared", &huma.Schema{
		OneOf: []*huma.Schema{either, prepared},
		Discriminator: &huma.Discriminator{
			PropertyName: "outcome", Mapping: map[string]string{outcomeDone: either.Ref, outcomePrepared: prepared.Ref},
		},
	})
}

// adapter puts the edge in the place of what huma makes of an operation.
type adapter struct {
	huma.Adapter
	server *Server
}

func (a *adapter) Handle(h *huma.Operation, _ func(huma.Context)) {
	s, o := a.server, h.Metadata[metaKey].(*operation)
	s.compile(o, h)
	pattern := o.Method + " " + o.Path
	if strings.HasSuffix(o.Path, "/") {
		pattern += "{$}" // else the mux gives it every unknown path
	}
	last := ""
	if o.Lone { // "/v1/action/{id}/metadata" and "/v1/action/skills/{id}" are two that the mux does not tell apart
		if dir, name := path.Split(pattern); !strings.HasPrefix(name, "{") {
			pattern, last = dir+"{last}", name
		}
		s.lone[pattern] = true
	}
	s.known[pattern] = true
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		if last != "" && r.PathValue("last") != last {
			s.fail(w, c, errNoRoute)
			return
		}
		c.op, c.route = o, o.Path
		s.run(w, r, c)
	})
}
