package source

import (
	"encoding/json"
	"errors"
	"strings"
)

// Level is how certain it is that a value has a format. Zero means that it has not.
type Level int

// The levels.
const (
	Fits    Level = 1 // the reader would take something from it
	Likely  Level = 2 // it has the shape, which another format may have too
	Certain Level = 3 // no other format has this shape
)

// Shape has the paths of the members of a value, without lists: messages.content.type. Members
// called type and role are also there with their values.
type Shape map[string]bool

// Bounds of a shape.
const (
	mostNames  = 1024
	deepNames  = 5
	deepValues = 200
	shortWord  = 40
)

// ErrDeep is the error for a value that is nested more deeply than is looked at.
var ErrDeep = errors.New("it is nested too deeply")

// ShapeOf reads the next value, and returns its shape. With an error it is the shape of what
// precedes that.
func ShapeOf(d *json.Decoder) (Shape, error) {
	v := Shape{}
	err := v.read(d, "", 0)
	return v, err
}

// read takes the names of a value.
func (v Shape) read(d *json.Decoder, at string, depth int) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if depth > deepValues {
		return ErrDeep
	}
	if _, ok := token.(json.Delim); !ok && at == "" {
		v[""] = true // a value without names, where an object belongs
	}
	switch t := token.(type) {
	case json.Delim:
		for d.More() {
			inner := at
			if t == '{' {
				name, err := d.Token()
				if err != nil {
					return err
				}
				inner, _ = name.(string)
				if at != "" {
					inner = at + "." + inner
				}
				v.name(inner)
			}
			if err := v.read(d, inner, depth+1); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	case string:
		if last := at[strings.LastIndexByte(at, '.')+1:]; (last == "type" || last == "role") && len(t) <= shortWord {
			v.name(at + "=" + t)
		}
	}
	return nil
}

// name adds a name.
func (v Shape) name(s string) {
	if len(v) < mostNames && strings.Count(s, ".") < deepNames && len(s) < 256 {
		v[s] = true
	}
}

// Any reports whether one of some names is there.
func (v Shape) Any(names ...string) bool {
	for _, n := range names {
		if v[n] {
			return true
		}
	}
	return false
}

// All reports whether all of some names are there.
func (v Shape) All(names ...string) bool {
	for _, n := range names {
		if !v[n] {
			return false
		}
	}
	return true
}

// Grade returns the highest level that is true.
func Grade(isCertain, isLikely, doesFit bool) Level {
	switch {
	case isCertain:
		return Certain
	case isLikely:
		return Likely
	case doesFit:
		return Fits
	}
	return 0
}
