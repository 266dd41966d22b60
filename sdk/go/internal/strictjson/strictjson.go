// Package strictjson reads JSON and refuses what encoding/json lets through: unknown
// fields, names in another case, and names given twice.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Decode reads exactly one JSON value into v.
func Decode(raw []byte, v any) error {
	if err := UniqueNames(raw); err != nil {
		return err
	}
	if err := knownNames(raw, reflect.TypeOf(v)); err != nil {
		return err
	}
	return json.Unmarshal(raw, v)
}

// UniqueNames refuses anything but one JSON value whose objects give each name once.
func UniqueNames(raw []byte) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := walkValue(d); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

func walkValue(d *json.Decoder) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('{'):
		return walkObject(d)
	case json.Delim('['):
		for d.More() {
			if err := walkValue(d); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}

func walkObject(d *json.Decoder) error {
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if seen[name] {
			return fmt.Errorf("the name %q comes twice", name)
		}
		seen[name] = true
		if err := walkValue(d); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func knownNames(raw []byte, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if string(bytes.TrimSpace(raw)) == "null" || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return knownFields(raw, t)
	case reflect.Slice:
		return knownElements(raw, t.Elem())
	}
	return nil
}

func knownElements(raw []byte, elem reflect.Type) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil // not a list: the real decoding says so better
	}
	for _, item := range items {
		if err := knownNames(item, elem); err != nil {
			return err
		}
	}
	return nil
}

func knownFields(raw []byte, t reflect.Type) error {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil
	}
	fields := map[string]reflect.Type{}
	collectFields(t, fields)
	for name, value := range members {
		ft, ok := fields[name]
		if !ok {
			return fmt.Errorf("unknown field %q", name)
		}
		if err := knownNames(value, ft); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func collectFields(t reflect.Type, into map[string]reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			collectFields(f.Type, into)
		case f.IsExported():
			into[name] = f.Type
		}
	}
}
