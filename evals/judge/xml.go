package judge

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// xmlFacts returns a fact for each element (/svg/g#logo/path), for each of its attributes (/svg/g#logo/path fill=#fff; a style is split),
// for each text and each comment. The order of attributes means nothing, nor does space around texts, nor the case of a colour.
func xmlFacts(data []byte) (facts []string, err error) {
	var path []string
	at := func() string { return "/" + strings.Join(path, "/") }
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if facts == nil {
				return nil, io.ErrUnexpectedEOF
			}
			return facts, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			name := t.Name.Local
			if id := attribute(t.Attr, "id"); id != "" {
				name += "#" + id
			}
			path = append(path, name)
			facts = append(facts, at())
			facts = append(facts, attributes(at()+" ", t.Attr)...)
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" {
				facts = append(facts, fmt.Sprintf("%s %q", at(), text))
			}
		case xml.Comment:
			facts = append(facts, at()+" <!--"+string(t)+"-->")
		}
	}
}

func attribute(list []xml.Attr, name string) string {
	for _, a := range list {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{3,8}$`)

// same returns a value as others write it, too: a hexadecimal colour in lower case.
func same(value string) string {
	if hexColor.MatchString(value) {
		return strings.ToLower(value)
	}
	return value
}

// attributes returns a fact for each attribute, sorted.
func attributes(prefix string, list []xml.Attr) (facts []string) {
	for _, a := range list {
		if a.Name.Local != "style" {
			facts = append(facts, prefix+a.Name.Local+"="+same(a.Value))
			continue
		}
		for part := range strings.SplitSeq(a.Value, ";") {
			if part = strings.TrimSpace(part); part != "" {
				key, value, _ := strings.Cut(strings.Replace(part, ":", "=", 1), "=")
				facts = append(facts, prefix+"style "+strings.TrimSpace(key)+"="+same(strings.TrimSpace(value)))
			}
		}
	}
	slices.Sort(facts)
	return facts
}
