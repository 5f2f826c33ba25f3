package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"time"

	webhook "example.com/verify-webhook"
)

func webhooks(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	delivery := webhook.Delivery{
		Body:              body,
		Timestamp:         r.Header.Get("X-Service-Timestamp"),
		Signature:         r.Header.Get("X-Service-Signature"),
		PreviousSignature: r.Header.Get("X-Service-Signature-Previous"),
	}
	if err := webhook.Verify(delivery, os.Getenv("SECRET_KEY"), time.Now()); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	queue <- body
	w.WriteHeader(http.StatusNoContent)
}

var queue = make(chan []byte, 1000) // yours: a table, SQS, Redis

func main() {
	http.HandleFunc("POST /webhooks", webhooks)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
