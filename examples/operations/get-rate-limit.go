package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

type RateLimit struct {
	Plan    string `json:"plan"`
	Windows map[string]struct {
		Limit     int64 `json:"limit"`
		Remaining int64 `json:"remaining"`
	} `json:"windows"`
}

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/rate-limit", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		log.Fatal(string(body))
	}
	var state RateLimit
	if err := json.NewDecoder(response.Body).Decode(&state); err != nil {
		log.Fatal(err)
	}
	fmt.Println("remaining:", state.Windows["minute"].Remaining, state.Windows["day"].Remaining)
}
