// Package frame is how a call and its answer stand on the socket between server and signer. It is the one place that
// knows: a call is the byte Version and one map of CBOR, an answer has a byte between them that says whether it is a
// value or a fault. The maps have the names of the types in package wire.
//
// Text stands in a frame as it is, byte for byte: what a passkey stamped is neither escaped nor read on the way.
// Reading is strict. A map has each name once and a length that is known; there are no tags, nothing follows the map,
// and text is UTF-8. A name that the reader does not know is passed over, so that signer and server of two releases
// that have the same Version speak with each other while one of them is upgraded.
package frame

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/fxamacker/cbor/v2"

	"github.com/railkit/railkit/enclave/wire"
)

// Version begins each frame. A frame of the releases before there was one is JSON, and begins with a brace.
const Version = 2

// The byte after Version in an answer.
const (
	value   = 0
	refused = 1
)

// The errors of reading. None of them has anything of what was read.
var (
	ErrRelease = errors.New("the other side of the signer's socket is of another release: " +
		"run the signer and its servers from the same one")
	ErrMalformed = errors.New("not a frame of its kind")
)

var (
	encoding = must(cbor.EncOptions{}.UserBufferEncMode())
	// calls come from the server, which may be somebody else's: what they say they have in a list is bounded, since
	// each item takes more memory than its byte in the frame.
	calls   = must(strict(1 << 10).DecMode())
	answers = must(strict(1 << 17).DecMode())
)

func strict(most int) cbor.DecOptions {
	return cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		IntDec:            cbor.IntDecConvertSignedOrFail,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
		MaxNestedLevels:   32,
		MaxArrayElements:  most,
		MaxMapPairs:       most,
		DefaultMapType:    reflect.TypeFor[map[string]any](),
	}
}

// must stops the program at start where the options above contradict each other.
func must[T any](mode T, err error) T {
	if err != nil {
		panic(err)
	}
	return mode
}

// Call is the frame of a call.
func Call(q any) ([]byte, error) { return encode(q, Version) }

// ReadCall reads the frame of a call into q, which is empty.
func ReadCall(raw []byte, q any) error {
	if len(raw) == 0 || raw[0] != Version {
		return ErrRelease
	}
	return decode(calls, raw[1:], q)
}

// Answer is the frame of an answer.
func Answer(a any) ([]byte, error) { return encode(a, Version, value) }

// Fault is the frame of a refusal.
func Fault(f wire.Fault) ([]byte, error) { return encode(f, Version, refused) }

// ReadAnswer reads an answer into a, which is empty, or gives the fault that is in its place.
func ReadAnswer(raw []byte, a any) (*wire.Fault, error) {
	switch {
	case len(raw) == 0 || raw[0] != Version:
		return nil, ErrRelease
	case len(raw) > 1 && raw[1] == value:
		return nil, decode(answers, raw[2:], a)
	case len(raw) > 1 && raw[1] == refused:
		var f wire.Fault
		return &f, decode(answers, raw[2:], &f)
	}
	return nil, ErrMalformed
}

func encode(v any, head ...byte) ([]byte, error) {
	buf := bytes.NewBuffer(append(make([]byte, 0, 4<<10), head...))
	if err := encoding.MarshalToBuffer(v, buf); err != nil {
		return nil, fmt.Errorf("encoding a frame: %w", err)
	}
	return buf.Bytes(), nil
}

func decode(by cbor.DecMode, raw []byte, v any) error {
	const major, pairs = 0xe0, 0xa0
	if len(raw) == 0 || raw[0]&major != pairs { // null, which is taken for an empty value elsewhere, is none here
		return ErrMalformed
	}
	if err := by.Unmarshal(raw, v); err != nil {
		return ErrMalformed // without the cause, which would quote the frame
	}
	return nil
}
