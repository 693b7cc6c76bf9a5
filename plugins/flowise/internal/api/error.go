package api

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// The types of an Error.
const (
	Connection     = "ConnectionError"
	Authentication = "AuthenticationError"
	Validation     = "ValidationError"
	NotFound       = "NotFoundError"
	RateLimit      = "RateLimitError"
	Timeout        = "TimeoutError"
	Unexpected     = "UnexpectedError"
)

// Error says why a request failed.
type Error struct {
	Type    string
	Message string // one line
	Details []abi.KeyValue
}

func (e *Error) Error() string { return e.Message }

// Is reports whether err is an Error of a type.
func Is(err error, typ string) bool {
	var e *Error
	return errors.As(err, &e) && e.Type == typ
}

// Invalid returns the error for an invalid argument.
func Invalid(field, value, constraint, message string) *Error {
	if r := []rune(value); len(r) > 80 {
		value = string(r[:80]) + "…"
	}
	return &Error{Validation, message, []abi.KeyValue{{Key: "field", Value: field}, {Key: "value", Value: value}, {Key: "constraint", Value: constraint}}}
}

// connectionError returns the error for a request that got no answer.
func connectionError(err error) error {
	var r *pdk.RequestError
	if !errors.As(err, &r) {
		return err
	}
	e := &Error{Type: Unexpected, Message: r.Message, Details: []abi.KeyValue{{Key: "reason", Value: r.Kind}}}
	switch r.Kind {
	case abi.FailedDial, abi.FailedDNS, abi.FailedTLS, abi.FailedProtocol:
		e.Type = Connection
		e.Message = "Flowise API unreachable: " + r.Message
	case abi.FailedTimeout:
		e.Type = Timeout
	}
	return e
}

// answerError returns the error that an answer reports, or nil. permission is the one
// that the API key needs for the request.
func answerError(r *pdk.Response, permission string) error {
	v, _ := jsontree.Parse(string(r.Body)) // nil if it is not JSON
	said := v.Get("message").Plain()
	if said == "" {
		said = v.Get("error").Plain()
	}
	if said == "" && !v.Is(jsontree.Object) {
		said = oneLine(string(r.Body))
	}
	said = cleanMessage(said)
	e := &Error{Type: Unexpected, Message: said, Details: []abi.KeyValue{{Key: "status", Value: strconv.Itoa(r.Status)}}}
	lower := strings.ToLower(said)
	switch {
	case r.Status/100 == 2 && strings.HasPrefix(r.Header("Content-Type"), "text/html"):
		e.Message = "the server answered with a web page, not with the API: FLOWISE_API_URL is its address as in a browser, such as http://localhost:3000"
	case r.Status/100 == 2 && v.Is(jsontree.Object) && v.Get("error") != nil && len(v.Members) <= 2:
	case r.Status/100 == 2 && v == nil:
		e.Message = "the server's answer is not JSON"
	case r.Status/100 == 2:
		return nil
	case r.Status == http.StatusUnauthorized, r.Status >= 500 && strings.Contains(lower, "unauthorized"):
		e.Type, e.Message = Authentication, "Invalid API key: "+said
	case r.Status == http.StatusForbidden:
		e.Type, e.Message = Authentication, "The API key may not do this: "+said
		e.Details = append(e.Details, abi.KeyValue{Key: "permission", Value: permission})
	case r.Status == http.StatusNotFound, r.Status >= 500 && strings.Contains(lower, "not found in the database"), r.Status >= 500 && strings.HasPrefix(lower, "node ") && strings.HasSuffix(lower, " not found"):
		e.Type = NotFound
	case r.Status == http.StatusBadRequest, r.Status == http.StatusRequestEntityTooLarge, r.Status >= 500 && (strings.Contains(said, "JSON") || strings.Contains(lower, "iterable") || strings.HasPrefix(lower, "invalid ")):
		e.Type = Validation
	case r.Status == http.StatusTooManyRequests:
		e.Type = RateLimit
		if after := r.Header("Retry-After"); after != "" {
			e.Details = append(e.Details, abi.KeyValue{Key: "retry_after", Value: after})
		}
	case r.Status == http.StatusRequestTimeout, r.Status == http.StatusGatewayTimeout:
		e.Type = Timeout
	case r.Status == http.StatusBadGateway, r.Status == http.StatusServiceUnavailable:
		e.Type = Connection
	}
	if e.Message == "" {
		e.Message = "the server answered " + strconv.Itoa(r.Status)
	}
	return e
}

// cleanMessage returns a message as one line, without a function name at its start:
// "Error: chatflowsService.deleteChatflow - …".
func cleanMessage(s string) string {
	s = oneLine(strings.TrimPrefix(s, "Error: "))
	if from, rest, ok := strings.Cut(s, " - "); ok && !strings.Contains(from, " ") {
		return rest
	}
	return s
}

// oneLine returns a text as one printable line of at most 300 characters and "…".
func oneLine(s string) string {
	visible := func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return ' '
		}
		return r
	}
	s = strings.Join(strings.Fields(strings.Map(visible, strings.ToValidUTF8(s, ""))), " ")
	if r := []rune(s); len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return s
}
