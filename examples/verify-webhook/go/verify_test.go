package webhook

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

type vector struct {
	Name      string            `json:"name"`
	SecretKey string            `json:"secret_key"`
	Now       int64             `json:"now"`
	Headers   map[string]string `json:"headers"`
	Body      []byte            `json:"body_base64"`
	Expected  string            `json:"expected"`
	Reason    string            `json:"reason"`
}

// Checks Verify against the vectors. VECTORS names another file.
func TestEveryVectorGetsItsVerdict(t *testing.T) {
	vectors := readVectors(t)
	for _, each := range vectors {
		t.Run(each.Name, func(t *testing.T) {
			expected, reason := verdictOn(each)
			if expected != each.Expected || reason != each.Reason {
				t.Errorf("%s %s, expected %s %s", expected, reason, each.Expected, each.Reason)
			}
		})
	}
	t.Logf("%d vectors read", len(vectors))
}

func readVectors(t *testing.T) []vector {
	path := os.Getenv("VECTORS")
	if path == "" {
		path = "../vectors.json"
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []vector `json:"vectors"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) == 0 {
		t.Fatal("no vectors")
	}
	return file.Vectors
}

func verdictOn(each vector) (expected, reason string) {
	err := Verify(Delivery{
		Body:              each.Body,
		Timestamp:         each.Headers["X-Service-Timestamp"],
		Signature:         each.Headers["X-Service-Signature"],
		PreviousSignature: each.Headers["X-Service-Signature-Previous"],
	}, each.SecretKey, time.Unix(each.Now, 0))
	if err != nil {
		return "reject", err.Error()
	}
	return "accept", ""
}
