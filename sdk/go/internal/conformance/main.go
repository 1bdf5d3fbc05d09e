// Command conformance calls operations for a test of the server, which sends one command
// per line on the standard input. It answers each with a line: the error, if the call failed
// or the response has fields that the SDK doesn't know, and the IDs of a list.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"sync"

	"slipway.example.com/slipway"
)

type command struct {
	URL, Key string
	Preview  bool
	Family   string
	Method   string
	IDs      []string
	Body     json.RawMessage
	File     *struct {
		Type  string
		Bytes []byte
	}
	Times int // how often to call it at the same time
}

func main() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c command
		if err := in.Decode(&c); err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
		var answer struct {
			Error    string   `json:"error"`
			Response []string `json:"response"`
		}
		var err error
		if answer.Response, err = c.run(); err != nil {
			answer.Error = err.Error()
		}
		if err := out.Encode(answer); err != nil {
			os.Exit(1)
		}
	}
}

func (c *command) run() (ids []string, err error) {
	r := &recorder{}
	client := slipway.New(c.URL, c.Key)
	if c.Times == 0 {
		client = slipway.New(c.URL, c.Key, slipway.WithHTTPClient(&http.Client{Transport: r}))
	}
	services := reflect.ValueOf(client.Services)
	if c.Preview {
		services = reflect.ValueOf(client.Preview)
	}
	method := services.FieldByName(c.Family).MethodByName(c.Method)
	if !method.IsValid() {
		return nil, fmt.Errorf("there is no method %s.%s", c.Family, c.Method)
	}
	if c.Times > 0 {
		return nil, c.parallel(method)
	}
	args, err := c.arguments(method.Type())
	if err != nil {
		return nil, err
	}
	results := method.Call(args)
	if results[0].Kind() == reflect.Func {
		return checkList(results[0], r)
	}
	return nil, check(results, r)
}

// parallel calls a method many times, a few at the same time.
func (c *command) parallel(method reflect.Value) error {
	errs := make([]error, c.Times)
	slots := make(chan struct{}, 50)
	var all sync.WaitGroup
	for i := range errs {
		all.Add(1)
		slots <- struct{}{}
		go func() {
			defer all.Done()
			args, err := c.arguments(method.Type())
			if err == nil {
				err, _ = method.Call(args)[1].Interface().(error)
			}
			errs[i] = err
			<-slots
		}()
	}
	all.Wait()
	return errors.Join(errs...)
}

// arguments returns the arguments of a method: a context, IDs, a file or a body, and
// parameters.
func (c *command) arguments(method reflect.Type) ([]reflect.Value, error) {
	args := []reflect.Value{reflect.ValueOf(context.Background())}
	ids := c.IDs
	for i := 1; i < method.NumIn()-1; i++ { // the last are the options
		arg := reflect.New(method.In(i))
		switch v := arg.Interface().(type) {
		case *string:
			*v, ids = ids[0], ids[1:]
		case *slipway.File:
			*v = slipway.File{Content: bytes.NewReader(c.File.Bytes), ContentType: c.File.Type}
		default:
			if field, ok := fieldOf(arg.Type().Elem()); ok && field.Tag.Get("url") != "" || len(c.Body) == 0 {
				break // parameters, or an optional body
			}
			if err := decode(c.Body, v); err != nil {
				return nil, fmt.Errorf("the request: %w", err)
			}
		}
		args = append(args, arg.Elem())
	}
	return args, nil
}

func fieldOf(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return reflect.StructField{}, false
	}
	return t.Field(0), true
}

// checkList reads a list and returns the IDs of its items. It decodes the last page again,
// and fails if a field is unknown.
func checkList(list reflect.Value, r *recorder) (ids []string, err error) {
	for item, err := range list.Seq2() {
		if !err.IsNil() {
			return nil, err.Interface().(error)
		}
		if err := checkEvent(item); err != nil {
			return nil, err
		}
		if id := item.FieldByName("ID"); id.IsValid() {
			ids = append(ids, id.String())
		}
	}

	var page struct {
		Data []json.RawMessage `json:"data"`
		slipway.Page
	}
	if err := decode(r.body.Bytes(), &page); err != nil {
		return nil, err
	}
	item := list.Type().In(0).In(0)
	for _, text := range page.Data {
		if err := decode(text, reflect.New(item).Interface()); err != nil {
			return nil, fmt.Errorf("%w in %s", err, text)
		}
	}
	return ids, nil
}

// check reads the results of a method in the same way.
func check(results []reflect.Value, r *recorder) error {
	if err, _ := results[len(results)-1].Interface().(error); err != nil || len(results) == 1 {
		return err
	}
	if body, ok := results[0].Interface().(io.ReadCloser); ok {
		_, err := body.Read(make([]byte, 1)) // a stream of events doesn't end
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return errors.Join(err, body.Close())
	}
	if err := decode(r.body.Bytes(), reflect.New(results[0].Type().Elem()).Interface()); err != nil {
		return fmt.Errorf("%w in %s", err, r.body.Bytes())
	}
	return checkEvent(results[0].Elem())
}

// checkEvent does the same for the object of an event.
func checkEvent(item reflect.Value) error {
	event, ok := item.Interface().(slipway.Event)
	if !ok {
		return nil
	}
	object, err := event.Object()
	if err != nil || object == nil {
		return fmt.Errorf("%s has the object %v, %w", event.Type, object, err)
	}
	return decode(event.Data.Object, reflect.New(reflect.TypeOf(object).Elem()).Interface())
}

func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// recorder keeps the body of the last response.
type recorder struct{ body bytes.Buffer }

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	r.body.Reset()
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.TeeReader(res.Body, &r.body), res.Body}
	return res, nil
}
