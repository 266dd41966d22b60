package evm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const domainType = "EIP712Domain"

// domainMembers are EIP-712's, in its order. Another domain would have another
// meaning for whoever checks the signature.
var domainMembers = []string{
	"string name", "string version", "uint256 chainId", "address verifyingContract", "bytes32 salt",
}

// typedTypes are the struct types of a message.
type typedTypes map[string][]typedField

type typedField struct {
	name, text string
	of         typedType
}

// typedType is a base and what it is an array of: T[2][] has sizes 2 and -1.
type typedType struct {
	base  string
	sizes []int
}

// longestName bounds the names of types and members, in bytes.
const longestName = 100

// Names hold nothing that has a meaning between names, so that a type's text can
// be read in one way only.
var (
	isTypeName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_:]*$`)
	isMemberName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	isTypeText   = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_:]*)((\[([1-9][0-9]{0,3})?\]){0,4})$`)
	isAtomic     = regexp.MustCompile(
		`^(address|bool|string|bytes|bytes([1-9]|[12][0-9]|3[0-2])|u?int(8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256))$`,
	)
	// What a struct cannot be called.
	isAlmost = regexp.MustCompile(`^(u?int|u?fixed|bytes|byte|address|function)[0-9x]*$`)
)

func readTypes(in map[string][]typedMember) (typedTypes, error) {
	if len(in) > maxTypedTypes {
		return nil, badTyped("it has too many types")
	}
	all := typedTypes{}
	for name, members := range in {
		if len(name) > longestName || !isTypeName.MatchString(name) || isAtomic.MatchString(name) ||
			isAlmost.MatchString(name) {
			return nil, badTyped("a type has a name that no type can have")
		}
		fields := make([]typedField, 0, len(members))
		for _, m := range members {
			f, ok := readMember(m)
			if !ok || slices.ContainsFunc(fields, func(have typedField) bool { return have.name == f.name }) {
				return nil, badTyped("a member of a type is there twice, or has a name or a type that it cannot have")
			}
			fields = append(fields, f)
		}
		all[name] = fields
	}
	return all, all.check()
}

func readMember(m typedMember) (typedField, bool) {
	parts := isTypeText.FindStringSubmatch(m.Type)
	if parts == nil || len(m.Name) > longestName || !isMemberName.MatchString(m.Name) {
		return typedField{}, false
	}
	f := typedField{name: m.Name, text: m.Type, of: typedType{base: parts[1]}}
	for _, size := range strings.FieldsFunc(parts[2], func(c rune) bool { return c == ']' }) {
		n := -1
		if size != "[" {
			n, _ = strconv.Atoi(size[1:]) // four digits
		}
		f.of.sizes = append(f.of.sizes, n)
	}
	return f, true
}

// check refuses types that are not there and types within themselves.
func (s typedTypes) check() error {
	done := map[string]bool{}
	for name := range s {
		if err := s.walk(name, nil, done); err != nil {
			return err
		}
	}
	return nil
}

func (s typedTypes) walk(name string, above []string, done map[string]bool) error {
	if slices.Contains(above, name) {
		return badTyped("a type is part of itself")
	}
	if done[name] {
		return nil
	}
	for _, f := range s[name] {
		if isAtomic.MatchString(f.of.base) {
			continue
		}
		if s[f.of.base] == nil {
			return badTyped("a member has a type that is not there")
		}
		if err := s.walk(f.of.base, append(above, name), done); err != nil {
			return err
		}
	}
	done[name] = true
	return nil
}

func (s typedTypes) checkDomain() error {
	at := 0
	for _, f := range s[domainType] {
		next := slices.Index(domainMembers[at:], f.text+" "+f.name)
		if next < 0 {
			return badTyped("EIP712Domain is not that of EIP-712")
		}
		at += next + 1
	}
	if !slices.ContainsFunc(s[domainType], func(f typedField) bool { return f.name == "chainId" }) {
		return badTyped("EIP712Domain has no chainId")
	}
	return nil
}

// domainFields are the domain's type of a document that has none: those members of the
// standard's that the domain has, as ethers and viem derive them. It refuses where the two
// differ: viem leaves out a chainId that is text, and a version that is empty.
func domainFields(domain jsontext.Value) (fields []typedField, err error) {
	var object map[string]jsontext.Value
	if json.Unmarshal(domain, &object) != nil {
		return nil, badTyped("domain is not an object")
	}
	if object["chainId"].Kind() != '0' || string(object["version"]) == `""` {
		return nil, badTyped(
			"types have no EIP712Domain, and the domain's type cannot be derived without a chainId that is a number",
		)
	}
	for _, m := range domainMembers {
		kind, name, _ := strings.Cut(m, " ")
		if object[name] != nil {
			f, _ := readMember(typedMember{Name: name, Type: kind})
			fields = append(fields, f)
		}
	}
	return fields, nil
}

// form is EIP-712's encodeType: the type, and all that it refers to by name.
func (s typedTypes) form(name string) string {
	all := map[string]bool{}
	s.refer(name, all)
	delete(all, name)
	var names []string
	for n := range all {
		names = append(names, n)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, n := range append([]string{name}, names...) {
		var members []string
		for _, f := range s[n] {
			members = append(members, f.text+" "+f.name)
		}
		b.WriteString(n + "(" + strings.Join(members, ",") + ")")
	}
	return b.String()
}

func (s typedTypes) refer(name string, all map[string]bool) {
	if all[name] || s[name] == nil {
		return
	}
	all[name] = true
	for _, f := range s[name] {
		s.refer(f.of.base, all)
	}
}
