// Package webhook checks the signature of a delivery.
package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"time"
)

// Errors of Verify: the delivery is not genuine. Respond 401 and do nothing else.
var (
	ErrMissingSecret       = errors.New("missing_secret")
	ErrMalformedTimestamp  = errors.New("malformed_timestamp")
	ErrMalformedSignature  = errors.New("malformed_signature")
	ErrOutsideReplayWindow = errors.New("outside_replay_window")
	ErrSignatureMismatch   = errors.New("signature_mismatch")
)

var (
	isTimestamp = regexp.MustCompile(`^[0-9]{1,15}$`)
	isSignature = regexp.MustCompile(`^sha256=[0-9a-f]{64}$`)
)

// Delivery is a delivery as received: the exact bytes of its body and three headers.
type Delivery struct {
	Body              []byte
	Timestamp         string // X-Service-Timestamp
	Signature         string // X-Service-Signature
	PreviousSignature string // X-Service-Signature-Previous, sent while a rotation overlaps
}

// Verify returns nil if the delivery was signed with secretKey, at most 300 s before or after now.
func Verify(delivery Delivery, secretKey string, now time.Time) error {
	if secretKey == "" {
		return ErrMissingSecret
	}
	if !isTimestamp.MatchString(delivery.Timestamp) {
		return ErrMalformedTimestamp
	}
	if !isSignature.MatchString(delivery.Signature) {
		return ErrMalformedSignature
	}
	sentAt, err := strconv.ParseInt(delivery.Timestamp, 10, 64)
	if err != nil {
		return ErrMalformedTimestamp
	}
	if age := now.Unix() - sentAt; age > 300 || age < -300 {
		return ErrOutsideReplayWindow
	}
	mac := hmac.New(sha256.New, []byte(secretKey))
	mac.Write([]byte(delivery.Timestamp + "."))
	mac.Write(delivery.Body)
	expected := []byte("sha256=" + hex.EncodeToString(mac.Sum(nil)))
	isCurrent := hmac.Equal(expected, []byte(delivery.Signature))
	isPrevious := hmac.Equal(expected, []byte(delivery.PreviousSignature))
	if !isCurrent && !isPrevious {
		return ErrSignatureMismatch
	}
	return nil
}
