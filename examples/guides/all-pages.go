package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"regexp"
	"time"
)

var (
	client = http.Client{Timeout: 30 * time.Second}
	next   = regexp.MustCompile(`<([^>]*)>; rel="next"`)
)

type Pet struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// page reads one page. It returns the address of the next page, which is empty on the last page.
func page(url string) ([]Pet, string, error) {
	request, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, "", err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, "", fmt.Errorf("the service responded with %s", response.Status)
	}
	var pets []Pet
	if err := json.NewDecoder(response.Body).Decode(&pets); err != nil {
		return nil, "", err
	}
	if found := next.FindStringSubmatch(response.Header.Get("Link")); found != nil {
		return pets, found[1], nil
	}
	return pets, "", nil
}

func main() {
	for url := "http://127.0.0.1:3000/v1/pets?status=available&limit=100"; url != ""; {
		pets, following, err := page(url)
		if err != nil {
			log.Fatal(err)
		}
		for _, pet := range pets {
			fmt.Println(pet.ID, pet.Name)
		}
		url = following
	}
}
