package signer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/railkit/railkit/enclave/wire"
)

// Encode writes JSON as people read it: no escapes for < and >.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Text is Encode, as text.
func Text(v any) (string, error) {
	raw, err := Encode(v)
	return string(raw), err
}

// Millis is how the enclave is told an instant.
func Millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// Proof reads a proof that Text wrote. Text that does not read gives no proof, which clients refuse.
func Proof(raw string) wire.Proof {
	var p wire.Proof
	_ = json.Unmarshal([]byte(raw), &p) // written by text; what does not read is no proof, and clients refuse it
	return p
}

// Stated is the statement of a stored proof: an empty one where it does not read.
func Stated(text string) (st wire.Statement) {
	_ = json.Unmarshal([]byte(Proof(text).Payload), &st) // as in Proof
	return st
}

// Shown is what a stored preview shows: nothing where there is none.
func Shown(text string) (shown wire.Preview) {
	if p := Stated(text).Preview; p != nil {
		shown = *p
	}
	return shown
}

// Preview reads a stored preview, nil where there is none.
func Preview(text string) *wire.Proof {
	var p wire.Proof
	if json.Unmarshal([]byte(text), &p) != nil || p.Payload == "" {
		return nil
	}
	return &p
}

// Said is when the enclave said something, by its own clock, which does not go back.
func Said(st wire.Statement) (time.Time, error) { return time.Parse(time.RFC3339, st.Time) }
