package main

import (
	"fmt"
	"log"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"time"
)

var client = http.Client{Timeout: 30 * time.Second}

// get reads a path of the API. If the quota is used up, get waits and tries again.
func get(path string) (*http.Response, error) {
	for {
		request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1"+path, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
		response, err := client.Do(request)
		if err != nil || response.StatusCode != http.StatusTooManyRequests {
			return response, err
		}
		response.Body.Close()
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		// If the quota of the day is used up or the key is banned, the wait is long. Notify somebody instead of waiting.
		if err != nil || seconds > 120 {
			return nil, fmt.Errorf("the quota is used up for %d s", seconds)
		}
		time.Sleep(time.Duration(seconds)*time.Second + time.Duration(rand.Intn(1000))*time.Millisecond)
	}
}

func main() {
	response, err := get("/pets?limit=5")
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status, response.Header.Get("X-RateLimit-Remaining"), "left")
}
