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

// The fields of an order are not defined yet.
type Order map[string]any

func main() {
	request, err := http.NewRequest("GET", "http://127.0.0.1:3000/v1/store/orders", nil)
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
	var orders []Order
	if err := json.NewDecoder(response.Body).Decode(&orders); err != nil {
		log.Fatal(err)
	}
	fmt.Println(orders)
}
