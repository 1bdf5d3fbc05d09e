package oauth

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"slipway/internal/vocab/auth"
)

// clientMetadata is the document at the URL that is the ID of a client. It describes an app
// that no dealership has registered.
type clientMetadata struct {
	ClientID     string   `json:"client_id"`
	ClientName   string   `json:"client_name"`
	ClientURI    string   `json:"client_uri"`
	RedirectURIs []string `json:"redirect_uris"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
}

// The longest and shortest times that a document is kept.
const (
	maxMetadataAge = 24 * time.Hour
	minMetadataAge = time.Minute
)

// isUnregistered reports whether a client ID is of an app that no dealership has registered.
func isUnregistered(id string) bool { return isMetadataURL(id) || isDynamic(id) }

// publisherOf returns who publishes an app without registration, as far as it is known.
func publisherOf(id string) string {
	if isDynamic(id) {
		return "an unknown publisher"
	}
	return hostOf(id)
}

// isMetadataURL reports whether a client ID is a URL.
func isMetadataURL(id string) bool {
	return strings.HasPrefix(id, "https://") || strings.HasPrefix(id, "http://")
}

// checkMetadataURL returns what is wrong with the URL of a document, or "". Plain HTTP is
// for development.
func checkMetadataURL(id string, allowHTTP bool) string {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > maxURI || u.Hostname() == "" || u.User != nil || u.Fragment != "" || !printable.MatchString(id):
		return "The client_id of the link is not a valid URL."
	case u.Scheme != "https" && (!allowHTTP || !isLoopback(u.Hostname())):
		return "The client_id of the link must be an https URL."
	case u.Path == "" || u.Path == "/" || slices.Contains(strings.Split(u.Path, "/"), ".."):
		return "The client_id of the link must have a path, without dots."
	}
	return ""
}

// app returns the app that a document describes, or what is wrong with it.
func (m clientMetadata) app(id string) (PublishedApp, string) {
	app := App{
		Name: m.ClientName, Type: Public, RedirectURIs: m.RedirectURIs, Scopes: allScopes(), MetadataURL: &id,
	}
	if m.ClientURI != "" && hostOf(m.ClientURI) == hostOf(id) { // otherwise it could be the website of another company
		app.HomepageURL = &m.ClientURI
	}
	switch {
	case m.ClientID != id:
		return PublishedApp{}, "The document at the client_id of the link describes another client."
	case m.AuthMethod != "" && m.AuthMethod != "none":
		return PublishedApp{}, "The app must be a public client: token_endpoint_auth_method must be none."
	case len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > 20:
		return PublishedApp{}, "The document of the app must have 1 to 20 redirect_uris."
	case utf8.RuneCountInString(m.ClientName) > 100 || app.check() != nil:
		return PublishedApp{}, "The document of the app has an invalid client_name, client_uri or redirect_uris."
	}
	// It belongs to no environment, so it can be installed in both.
	return PublishedApp{App: app, Mode: auth.Live, Publisher: hostOf(id)}, ""
}

func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}

// metadataAge returns how long a document can be kept, from its Cache-Control header.
func metadataAge(cacheControl string) time.Duration {
	age := time.Hour
	for part := range strings.SplitSeq(strings.ToLower(cacheControl), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			seconds, err := strconv.Atoi(strings.Trim(value, `"`))
			if err != nil || seconds < 0 {
				return 0
			}
			age = time.Duration(min(seconds, int(maxMetadataAge/time.Second))) * time.Second
		}
	}
	return max(age, minMetadataAge)
}
