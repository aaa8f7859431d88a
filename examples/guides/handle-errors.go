package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/pets?limit=500", nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("ANIMAL_STORE_API_KEY"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 400 {
		var failure apiError
		if err := json.NewDecoder(response.Body).Decode(&failure); err != nil {
			log.Fatal(err)
		}
		fmt.Println(failure.Code, failure.Message, response.Header.Get("X-Request-Id"))
	}
}
