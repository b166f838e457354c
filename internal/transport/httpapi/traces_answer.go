package httpapi

import (
	"encoding/binary"
	"net/http"
	"strconv"
	"strings"

	"lukasa.dev/internal/migrate/traces"
)

// Field numbers of the answers, as OTLP and google.rpc define them.
const (
	fieldPartialSuccess = 1 // of ExportTraceServiceResponse
	fieldRejectedSpans  = 1 // of ExportTracePartialSuccess
	fieldErrorMessage   = 2
	fieldCode           = 1 // of google.rpc.Status
	fieldMessage        = 2
	fieldDetails        = 3
	fieldTypeURL        = 1 // of google.protobuf.Any
	fieldValue          = 2
	fieldReason         = 1 // of google.rpc.ErrorInfo
	fieldDomain         = 2
)

const (
	errorInfoType = "type.googleapis.com/google.rpc.ErrorInfo"
	errorDomain   = "lukasa.dev"
)

// exportAnswer is the ExportTraceServiceResponse: empty if everything was accepted.
func exportAnswer(how traces.Encoding, refused int, words string) []byte {
	if how == traces.Protobuf {
		if refused == 0 {
			return []byte{}
		}
		part := appendField(appendNumber(nil, fieldRejectedSpans, uint64(refused)), fieldErrorMessage, strings.ToValidUTF8(words, "\uFFFD"))
		return appendField(nil, fieldPartialSuccess, string(part))
	}
	if refused == 0 {
		return []byte("{}\n")
	}
	out := append([]byte(`{"partialSuccess":{"rejectedSpans":"`), strconv.Itoa(refused)...)
	return append(appendString(append(out, `","errorMessage":`...), words), "}}\n"...)
}

// statusAnswer is the google.rpc.Status of a problem. The code of the catalogue is the reason
// of its ErrorInfo.
func statusAnswer(how traces.Encoding, p *problem) []byte {
	code, message := rpcCode(p.Status), p.Detail
	if p.Fix != "" {
		message += "; " + p.Fix
	}
	if how == traces.Protobuf {
		info := appendField(appendField(nil, fieldReason, string(p.Code)), fieldDomain, errorDomain)
		detail := appendField(appendField(nil, fieldTypeURL, errorInfoType), fieldValue, string(info))
		out := appendField(appendNumber(nil, fieldCode, uint64(code)), fieldMessage, strings.ToValidUTF8(message, "\uFFFD"))
		return appendField(out, fieldDetails, string(detail))
	}
	out := append([]byte(`{"code":`), strconv.Itoa(code)...)
	out = appendString(append(out, `,"message":`...), message)
	out = append(out, `,"details":[{"@type":"`+errorInfoType+`","reason":"`...)
	return append(append(out, p.Code...), `","domain":"`+errorDomain+`"}]}`+"\n"...)
}

// rpcCode returns the number that google.rpc.Code has for a status.
func rpcCode(status int) int {
	switch status {
	case http.StatusUnauthorized:
		return 16 // unauthenticated
	case http.StatusForbidden:
		return 7 // permission denied
	case http.StatusTooManyRequests:
		return 8 // resource exhausted
	case http.StatusServiceUnavailable:
		return 14 // unavailable
	}
	if status >= http.StatusInternalServerError {
		return 13 // internal
	}
	return 3 // invalid argument
}

// appendNumber appends a protobuf field with a number.
func appendNumber(buf []byte, field int, n uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(buf, uint64(field)<<3), n)
}

// appendField appends a protobuf field with a string or a message.
func appendField(buf []byte, field int, value string) []byte {
	buf = binary.AppendUvarint(buf, uint64(field)<<3|2)
	return append(binary.AppendUvarint(buf, uint64(len(value))), value...)
}
