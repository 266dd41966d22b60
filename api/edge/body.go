package edge

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/railkit/railkit/fault"
)

// read takes the raw body of an operation that reads one, once.
func (c *call) read(w http.ResponseWriter, r *http.Request, most int64) (body []byte, err error) {
	if c.hasRead || c.op.body == nil {
		return c.body, nil
	}
	if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, most)); err != nil {
		return nil, wrapRead(err)
	}
	if len(body) > 0 && !c.op.takes(mediaOf(r.Header)) {
		return nil, errMedia.Msg(c.op.media())
	}
	c.body, c.hasRead = body, true
	return body, nil
}

// mediaOf is the media type of a body in UTF-8 that is not encoded, else "".
func mediaOf(h http.Header) string {
	kind, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	charset := params["charset"]
	if err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") || h.Get("Content-Encoding") != "" {
		return ""
	}
	return kind
}

func (o *operation) takes(media string) bool {
	return media == jsonType || o.Text != nil && media == o.Text.Media
}

// media is what an operation takes, for people.
func (o *operation) media() string {
	if o.Text == nil {
		return jsonType
	}
	return jsonType + " or " + o.Text.Media
}

// check validates parameters and body, and returns the body as a value of the operation's type. The value is not valid
// where there is no body.
func (o *operation) check(r *http.Request, query url.Values, body []byte) (none reflect.Value, err error) {
	if err := o.checkParams(r, query); err != nil {
		return none, err
	}
	if o.body == nil {
		return none, nil
	}
	if len(body) == 0 {
		if o.bodyRequired {
			return none, fault.Field("body", "is required")
		}
		return none, nil
	}
	if o.Text != nil && mediaOf(r.Header) == o.Text.Media {
		return o.fromText(body)
	}
	tree, err := parse(body)
	if err != nil {
		return none, err
	}
	array, many := tree.([]any)
	if many = many && o.Many != ""; many {
		tree = map[string]any{o.Many: array}
	}
	renamed, err := o.Aliases.rewrite(tree)
	if err != nil {
		return none, err
	}
	if err := o.body.check("", tree); err != nil {
		return none, err
	}
	if renamed || many {
		if body, err = json.Marshal(tree, json.Deterministic(true)); err != nil {
			return none, err
		}
	}
	return o.decode(body)
}

// fromText reads a body that is not JSON.
func (o *operation) fromText(body []byte) (none reflect.Value, err error) {
	v, err := o.Text.Read(body)
	if err != nil {
		return none, err
	}
	return reflect.ValueOf(v), nil
}

// number is a JSON number as the caller wrote it: no float64 in between.
type number string

func (n number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

var exactNumbers = json.WithUnmarshalers(json.UnmarshalFromFunc(exact))

func exact(d *jsontext.Decoder, v *any) error {
	if d.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	n, err := d.ReadValue()
	*v = number(n)
	return err
}

// mostValues bounds the values in a body: objects, lists, and what stands in them. They cost time and memory, far more
// than their bytes do: 1 MiB of "[{},{},…]" are 350,000 objects. A batch of 1000 payments has some 10,000.
const mostValues = 20_000

var errValues = errors.New("too many values")

// parse reads JSON strictly: one value, no name twice, valid UTF-8, and no more values than mostValues.
func parse(body []byte) (any, error) {
	var tree any
	left := mostValues
	err := json.Unmarshal(body, &tree, json.WithUnmarshalers(json.UnmarshalFromFunc(
		func(d *jsontext.Decoder, v *any) error {
			if left--; left < 0 {
				return errValues
			}
			return exact(d, v)
		})))
	switch {
	case err == nil:
		return tree, nil
	case errors.Is(err, errValues):
		return nil, fault.Field("body", fmt.Sprintf("must have at most %d values", mostValues))
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) &&
		syntax.Err == jsontext.ErrDuplicateName { //nolint:errorlint // as its documentation shows
		return nil, fault.Field(name(syntax.JSONPointer), "must not be given twice")
	}
	if !utf8.Valid(body) {
		return nil, fault.Field("body", "must be UTF-8")
	}
	return nil, fault.Field("body", "must be valid JSON")
}

// decode is how a checked body becomes a Go value. Where that may be anything, its numbers keep their digits.
func decode(body []byte, v any) error {
	return json.Unmarshal(body, v, json.RejectUnknownMembers(true), exactNumbers)
}

// decode reads the body over the defaults of its type. It refuses what only the Go type refuses, such as a number that
// does not fit, and names the field.
func (o *operation) decode(body []byte) (value reflect.Value, err error) {
	if o.bodyType == nil {
		return value, nil
	}
	into := reflect.New(o.bodyType)
	into.Elem().Set(o.bodyDefault)
	if err = decode(body, into.Interface()); err == nil {
		return into.Elem(), nil
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return value, fault.Field(name(semantic.JSONPointer), "is not valid")
	}
	return value, fault.Field("body", "is not valid")
}

// defaults is a value of a body's type with what its fields' default tags say. huma sets the same, but would do so
// before the decoded body is there.
func defaults(of reflect.Type) reflect.Value {
	value := reflect.New(of).Elem()
	if of.Kind() != reflect.Struct {
		return value
	}
	for _, f := range reflect.VisibleFields(of) {
		text, ok := f.Tag.Lookup("default")
		if !ok {
			continue
		}
		if err := decode([]byte(text), value.FieldByIndex(f.Index).Addr().Interface()); err != nil {
			value.FieldByIndex(f.Index).SetString(text) // panics at the start where it is neither JSON nor text
		}
	}
	return value
}

var index = regexp.MustCompile(`^[0-9]+$`)

// name writes a JSON pointer as messages name a field.
func name(p jsontext.Pointer) string {
	path := ""
	for token := range p.Tokens() {
		if !saneName.MatchString(token) {
			return orBody(path)
		}
		if index.MatchString(token) {
			path = orBody(path) + "[" + token + "]"
		} else {
			path = member(path, token)
		}
	}
	return orBody(path)
}

// Aliases are other spellings of body fields: old name to name. A dot leads
// into an object: "gas.limit" to "gasLimit".
type Aliases map[string]string

// rewrite moves what came under an old name to its name.
func (a Aliases) rewrite(tree any) (changed bool, err error) {
	root, ok := tree.(map[string]any)
	if !ok {
		return false, nil
	}
	names := slices.Sorted(maps.Keys(a))
	for _, old := range slices.Backward(names) { // what lies deeper first: "tokens.monthlyUSD" before "tokens"
		v, ok := take(root, strings.Split(old, "."))
		if !ok {
			continue
		}
		changed = true
		if !put(root, strings.Split(a[old], "."), v) {
			return false, fault.Field(a[old], "must not be given under two names")
		}
	}
	return changed, nil
}

// take removes a member, and the object around it where it was the last one.
func take(o map[string]any, path []string) (any, bool) {
	v, ok := o[path[0]]
	if !ok {
		return nil, false
	}
	if len(path) == 1 {
		delete(o, path[0])
		return v, true
	}
	inner, isObject := v.(map[string]any)
	if !isObject {
		return nil, false
	}
	v, ok = take(inner, path[1:])
	if ok && len(inner) == 0 {
		delete(o, path[0])
	}
	return v, ok
}

// put adds a member where there is none yet.
func put(o map[string]any, path []string, v any) bool {
	have, taken := o[path[0]]
	if len(path) == 1 {
		o[path[0]] = v
		return !taken
	}
	if !taken {
		have = map[string]any{}
		o[path[0]] = have
	}
	inner, ok := have.(map[string]any)
	return ok && put(inner, path[1:], v)
}
