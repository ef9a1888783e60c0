// A client on Go's net/http, of one of several kinds: GoClient KIND.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

var base, key, category = os.Getenv("PETSTORE_BASE_URL"), os.Getenv("PETSTORE_API_KEY"), os.Getenv("PETSTORE_CATEGORY_ID")

type answer struct {
	status  int
	body    []byte
	headers http.Header
}

func check(isMet bool, expectation string) {
	if !isMet {
		fmt.Fprintln(os.Stderr, "expected "+expectation)
		os.Exit(1)
	}
}

func send(method, path string, body []byte) answer {
	request, err := http.NewRequest(method, base+path, bytes.NewReader(body))
	check(err == nil, "a request")
	request.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	check(err == nil, "an answer")
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	check(err == nil, "a body")
	return answer{response.StatusCode, text, response.Header}
}

// patiently waits as §8 asks.
func patiently(method, path string, body []byte) answer {
	for attempt := 0; attempt < 6; attempt++ {
		got := send(method, path, body)
		if got.status != 429 {
			reset, _ := strconv.ParseInt(got.headers.Get("X-RateLimit-Reset"), 10, 64)
			if got.headers.Get("X-RateLimit-Remaining") == "0" {
				time.Sleep(time.Until(time.Unix(reset, 0)))
			}
			return got
		}
		asked := got.headers.Get("Retry-After")
		seconds, err := strconv.Atoi(asked)
		wait := time.Duration(seconds) * time.Second
		if err != nil {
			date, err := http.ParseTime(asked)
			check(err == nil, "a date")
			if wait = time.Until(date); wait < 0 {
				wait = 0
			}
		}
		time.Sleep(wait + 150*time.Millisecond<<attempt)
	}
	check(false, "an end of refusals")
	return answer{}
}

func newPet(name string) []byte {
	return []byte(fmt.Sprintf(`{"name":%q,"categoryId":%s,"status":"available"}`, name, category))
}

type pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status,omitempty"`
}

type smallPet struct {
	ID int32 `json:"id"`
}

func decode(body []byte, into any, isStrict bool) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if isStrict {
		decoder.DisallowUnknownFields()
	}
	return decoder.Decode(into)
}

func createAndList(isStrict bool) pet {
	created := patiently("POST", "/pets", newPet("Rex"))
	check(created.status == 201, "201")
	var one pet
	check(decode(created.body, &one, isStrict) == nil, "an animal")
	var page []pet
	check(decode(patiently("GET", "/pets?status=available&limit=50", nil).body, &page, isStrict) == nil, "a page")
	return one
}

func main() {
	switch os.Args[1] {
	case "careful":
		createAndList(false)
	case "defaults":
		check(send("POST", "/pets", newPet("Rex")).status == 201, "201")
		check(send("GET", "/pets", nil).status == 200, "200")
	case "strict-fields":
		createAndList(true)
	case "int64-by-id":
		one := createAndList(false)
		status := patiently("GET", fmt.Sprintf("/pets/%d", one.ID), nil).status
		check(status == 200 || status == 404, "200 or 404")
	case "int32-ids":
		var small smallPet
		check(decode(patiently("POST", "/pets", newPet("Rex")).body, &small, false) == nil, "an animal")
	case "parallel":
		var group sync.WaitGroup
		for count := 0; count < 6; count++ {
			group.Add(1)
			go func(name string) {
				defer group.Done()
				check(patiently("POST", "/pets", newPet(name)).status == 201, "201")
			}(fmt.Sprintf("Pet %d", count))
		}
		group.Wait()
	}
}
