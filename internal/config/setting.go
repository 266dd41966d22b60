package config

import (
	"errors"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/railkit/railkit/platform/ratelimit"
)

// Setting describes one field of Server.
type Setting struct {
	Name, Default, Doc string
	Secret             bool
	Flag               bool // it can be given as a flag

	field int
}

// Settings are all of them, in the struct's order.
func Settings() []Setting {
	var all []Setting
	t := reflect.TypeFor[Server]()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		secret := tag.Get("secret")
		all = append(all, Setting{
			Name: tag.Get("name"), Default: tag.Get("default"), Doc: tag.Get("doc"), Secret: secret != "",
			Flag: secret != "only", field: i,
		})
	}
	return all
}

// Env is the setting's variable.
func (s Setting) Env() string {
	return "RAILKIT_" + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
}

// FileEnv is the variable that names a file with the secret.
func (s Setting) FileEnv() string { return s.Env() + "_FILE" }

// String is how messages call a setting: as flag and as variable.
func (s Setting) String() string {
	if !s.Flag {
		return s.Env()
	}
	return "--" + s.Name + " (" + s.Env() + ")"
}

// Called is how messages call the setting of a name.
func Called(name string) string {
	all := Settings()
	return all[slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })].String()
}

// put reads a setting's texts into its field. An error says what is expected,
// and never what was given.
func (s Setting) put(to *Server, texts []string) error {
	switch field := reflect.ValueOf(to).Elem().Field(s.field).Addr().Interface().(type) {
	case *string:
		*field = texts[len(texts)-1]
	case *ratelimit.Policy:
		return putOutage(field, texts[len(texts)-1])
	case *map[string]string:
		return putNodes(field, strings.Fields(strings.Join(texts, " ")))
	case *map[string]int64:
		return putBlocks(field, strings.Fields(strings.Join(texts, " ")))
	case *time.Duration:
		return putPause(field, texts[len(texts)-1])
	case *[]netip.Prefix:
		return putNetworks(field,
			strings.FieldsFunc(strings.Join(texts, ","), func(r rune) bool { return r == ',' || r == ' ' }))
	default:
		return errors.New("a setting of this type cannot be read")
	}
	return nil
}

func putOutage(field *ratelimit.Policy, text string) error {
	*field = ratelimit.Policy(text)
	if *field != ratelimit.Open && *field != ratelimit.Closed {
		return errors.New("must be open or closed")
	}
	return nil
}

// putNodes keeps the URLs of several nodes of one network with spaces between.
func putNodes(field *map[string]string, texts []string) error {
	*field = map[string]string{}
	for _, text := range texts {
		slug, url, _ := strings.Cut(text, "=")
		if slug == "" || url == "" {
			return errors.New("a node must be of the form base=https://node.example")
		}
		(*field)[slug] = strings.TrimSpace((*field)[slug] + " " + url)
	}
	return nil
}

func putBlocks(field *map[string]int64, texts []string) error {
	*field = map[string]int64{}
	for _, text := range texts {
		slug, number, _ := strings.Cut(text, "=")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || slug == "" || n < 1 {
			return errors.New("a number must be of the form base=123456")
		}
		(*field)[slug] = n
	}
	return nil
}

// putPause takes what neither floods a node nor leaves a deposit waiting for long.
func putPause(field *time.Duration, text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < 50*time.Millisecond || d > time.Minute {
		return errors.New("must be a time such as 500ms or 2s, from 50ms to 1m")
	}
	*field = d
	return nil
}

func putNetworks(field *[]netip.Prefix, texts []string) error {
	*field = nil
	for _, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" && !a.Is4In6() {
			*field = append(*field, netip.PrefixFrom(a, a.BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(text)
		// Who believes everybody lets callers say who they are.
		if err != nil || p != p.Masked() || p.Bits() == 0 || p.Addr().Is4In6() {
			return errors.New("must be networks such as 10.0.0.0/8, with commas between, and not all there are")
		}
		*field = append(*field, p)
	}
	return nil
}

// show is a setting's value for people.
func (s Setting) show(of Server) string {
	value := reflect.ValueOf(of).Field(s.field)
	switch field := value.Interface().(type) {
	case ratelimit.Policy:
		return string(field)
	case []netip.Prefix:
		var texts []string
		for _, p := range field {
			texts = append(texts, p.String())
		}
		return strings.Join(texts, ",")
	case time.Duration:
		if field == 0 {
			return ""
		}
		return field.String()
	case map[string]int64:
		var texts []string
		for _, slug := range slices.Sorted(maps.Keys(field)) {
			texts = append(texts, slug+"="+strconv.FormatInt(field[slug], 10))
		}
		return strings.Join(texts, " ")
	case map[string]string:
		return strings.Repeat("*", len(field)) // secrets: how many is all that show tells
	}
	return value.String()
}
