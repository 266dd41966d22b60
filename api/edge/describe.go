package edge

import (
	"maps"
	"net/http"
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
	jsonType   = "application/json"
)

func init() {
	// A list is never null in our answers, and a null is no list in a request.
	huma.DefaultArrayNullable = false
}

// registry has no schemas yet.
func (s *Server) registry() huma.Registry {
	schemas := huma.NewMapRegistry(schemaPath, s.schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[rest.Number](), reflect.TypeFor[float64]())
	schemas.RegisterTypeAlias(reflect.TypeFor[wire.Proof](), reflect.TypeFor[rest.Proof]())
	return schemas
}

// openAPI describes all operations.
func (s *Server) openAPI() *huma.OpenAPI {
	d := description{Server: s, schemas: s.registry()}
	refusal := d.schema(shown{Type: reflect.TypeFor[ErrorEnvelope]()})
	doc := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Tags:    s.tags(),
		Servers: []*huma.Server{{URL: "/", Description: "The server that this document came from"}},
		Info: &huma.Info{
			Title: "Railkit", Version: Version,
			Description: "Stablecoin payments, passkey wallets and paying agents.",
			License:     &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
		},
		Components: &huma.Components{
			Schemas: d.schemas,
			Responses: map[string]*huma.Response{"Error": {
				Description: "The call was refused or failed",
				Content:     map[string]*huma.MediaType{jsonType: {Schema: refusal}},
			}},
			SecuritySchemes: schemes,
		},
		Security: security(stockCallers),
	}
	for _, o := range s.operations {
		o.compiled() // so that a type that no rule can be made of is found by who writes the document
		doc.AddOperation(d.operation(o))
	}
	for _, amend := range s.amendments {
		amend(doc)
	}
	return doc
}

// description is a document in the making.
type description struct {
	*Server
	schemas huma.Registry
}

func (s *Server) tags() (tags []*huma.Tag) {
	for _, t := range s.Tags {
		tags = append(tags, &huma.Tag{Name: t.Name, Description: t.Description})
	}
	return tags
}

func (d description) operation(o *operation) *huma.Operation {
	h := &huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.describe(),
		Tags:       []string{o.Tag},
		Responses:  map[string]*huma.Response{"default": {Ref: errorRef}},
		Extensions: map[string]any{"x-rate-class": string(o.class.Counted())},
	}
	d.respond(o, h)
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
		describeSigned(o, h)
	}
	if o.Pays {
		describePays(h)
	}
	if !o.public {
		describeGuards(o, h)
	}
	o.describeInput(d.schemas, h)
	if o.Text != nil {
		h.RequestBody.Content[o.Text.Media] = &huma.MediaType{
			Schema: &huma.Schema{Type: huma.TypeString}, Example: o.Text.Example,
		}
	}
	return h
}

// respond describes the answers.
func (d description) respond(o *operation, h *huma.Operation) {
	answer := o.answer()
	h.Responses[strconv.Itoa(o.Status)] = d.response(http.StatusText(o.Status), answer)
	if o.forms != nil {
		forms, in := d.describeForms(o.forms), h.Responses[strconv.Itoa(o.Status)]
		if o.enveloped {
			forms.Description = in.Description + ", or the file, sent while it is made"
			maps.Copy(forms.Content, in.Content)
		}
		h.Responses[strconv.Itoa(o.Status)] = forms
	}
	if o.Prepared != nil {
		d.describePrepared(o, h)
	}
	if o.Known {
		h.Responses["200"] = d.response("It was there already", answer)
	}
	if o.Wrapped != nil {
		d.describeWrapped(o, h)
	}
	if o.Queued {
		h.Responses["202"] = d.response("Queued for approval", shown{Type: reflect.TypeFor[QueuedEnvelope]()})
	}
}

// describeGuards describes the parameters that the guards read.
func describeGuards(o *operation, h *huma.Operation) {
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

func (d description) response(says string, answer shown) *huma.Response {
	return jsonResponse(says, d.schema(answer))
}

func (d description) schema(t shown) *huma.Schema { return d.schemas.Schema(t.Type, true, t.name) }

func jsonResponse(description string, schema *huma.Schema) *huma.Response {
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}}
}

// describeWrapped adds the envelope to what the operation answers without one.
func (d description) describeWrapped(o *operation, h *huma.Operation) {
	wrapped := d.schema(envelopes.of(reflect.TypeOf(o.Wrapped)))
	for status, r := range h.Responses {
		if strings.HasPrefix(status, "2") {
			bare := r.Content[jsonType].Schema
			h.Responses[status] = jsonResponse(r.Description, &huma.Schema{OneOf: []*huma.Schema{bare, wrapped}})
		}
	}
}

// describePrepared adds the answer to prepare=true, which is a 200 like that of most changes. Where both are,
// the field outcome tells one from the other.
func (d description) describePrepared(o *operation, h *huma.Operation) {
	prepared := d.schema(preparedEnvelopes.of(reflect.TypeOf(o.Prepared)))
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
