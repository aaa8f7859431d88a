package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"
)

type Pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/pets?ids=1", nil)
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
		log.Fatal(response.Status)
	}
	var pets []Pet
	if err := json.NewDecoder(response.Body).Decode(&pets); err != nil {
		log.Fatal(err)
	}
	if len(pets) == 0 {
		fmt.Println("No animal has this id.")
	} else {
		fmt.Println(pets[0].Name)
	}
}
