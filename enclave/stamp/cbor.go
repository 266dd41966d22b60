package stamp

import (
	"errors"
	"reflect"

	"github.com/fxamacker/cbor/v2"
)

// decoding reads CBOR from outside: definite lengths, unique keys, no tags,
// shallow and small. encoding writes the one form that CTAP2 calls canonical.
var (
	decoding = must(cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
		IntDec:           cbor.IntDecConvertSignedOrFail,
		MaxNestedLevels:  8,
		MaxArrayElements: 16,
		MaxMapPairs:      16,
		DefaultMapType:   reflect.TypeFor[map[string]any](),
	}.DecMode())
	encoding = must(cbor.CTAP2EncOptions().EncMode())
)

// must stops the program at start where the options above contradict each other.
func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

// splitMap cuts the first item off raw, which must be a map with keys of type K.
func splitMap[K comparable](raw []byte) (item, rest []byte, err error) {
	var members map[K]any
	rest, err = decoding.UnmarshalFirst(raw, &members)
	if err != nil {
		return nil, nil, err
	}
	if members == nil {
		return nil, nil, errors.New("null instead of a map")
	}
	return raw[:len(raw)-len(rest)], rest, nil
}
