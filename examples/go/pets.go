package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"time"
)

const attempts = 4
const longestWait = 120

var (
	baseURL = "http://127.0.0.1:3000/v1"
	client  = http.Client{Timeout: 30 * time.Second}
	next    = regexp.MustCompile(`<([^>]*)>; rel="next"`)
)

type Pet struct {
	ID         int64  `json:"id,omitempty"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
}

// call sends a request, stores the response body in result, and returns the response headers. It retries after a
// lost connection, and after responses with Retry-After.
func call(method, url string, body []byte, header http.Header, result any) (http.Header, error) {
	for attempt := 1; ; attempt++ {
		response, answer, err := send(method, url, body, header)
		seconds := 0
		if err == nil {
			if response.StatusCode < 300 {
				return response.Header, json.Unmarshal(answer, result)
			}
			err = fmt.Errorf("%s: %s", response.Status, answer)
			seconds, _ = strconv.Atoi(response.Header.Get("Retry-After"))
			// If the quota of the day is used up or the key is banned, the wait is long. Notify somebody instead of waiting.
			if seconds <= 0 || seconds > longestWait {
				return nil, err
			}
		}
		if attempt == attempts {
			return nil, err
		}
		// A random delay of up to 1 s, 2 s and then 4 s. It prevents many programs from retrying at the same moment.
		jitter, _ := rand.Int(rand.Reader, big.NewInt(int64(time.Second)<<(attempt-1)))
		time.Sleep(time.Duration(seconds)*time.Second + time.Duration(jitter.Int64()))
	}
}

// send sends a request once. It returns an error if the connection failed, timed out, or closed too early.
func send(method, url string, body []byte, header http.Header) (*http.Response, []byte, error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, answer, err
}

// addPet adds an animal only once, because every attempt has the same Idempotency-Key.
func addPet(pet Pet) (added Pet, err error) {
	body, err := json.Marshal(pet)
	if err != nil {
		return added, err
	}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		return added, err
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
	_, err = call("POST", baseURL+"/pets", body, header, &added)
	return added, err
}

// eachPet calls a function for each animal on all pages.
func eachPet(query string, visit func(Pet)) error {
	for url := baseURL + "/pets?" + query; url != ""; {
		var pets []Pet
		header, err := call("GET", url, nil, nil, &pets)
		if err != nil {
			return err
		}
		for _, pet := range pets {
			visit(pet)
		}
		url = ""
		if found := next.FindStringSubmatch(header.Get("Link")); found != nil {
			url = found[1]
		}
	}
	return nil
}

func main() {
	if url := os.Getenv("ANIMAL_STORE_BASE_URL"); url != "" {
		baseURL = url
	}
	mia, err := addPet(Pet{Name: "Mia", CategoryID: 9007199254740993})
	if err != nil {
		log.Fatal(err)
	}
	count := 0
	if err := eachPet("status=available&limit=100", func(Pet) { count++ }); err != nil {
		log.Fatal(err)
	}
	fmt.Println(mia.CategoryID, count, "animals are for sale")
}
