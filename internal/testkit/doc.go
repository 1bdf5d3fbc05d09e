// Package testkit is what tests are written with: a server on a new database,
// clients, sample data and comparisons.
//
// A test of an endpoint looks like this:
//
//	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
//		var h hulls.Hull
//		s.Test.Get("/v1/hulls/"+s.Test.Hull(s.Test.Location(), nil), 200, &h)
//		assert.Equal(t, h.Status, hulls.Available)
//	})
//
// # Servers
//
//   - Each runs a test on SQLite and on PostgreSQL. EachDatabase does it for tests of processes.
//   - OnSQLite starts a server on a new SQLite database.
//   - OnPostgres starts a server on a new PostgreSQL database.
//   - EmptyPostgres creates a database without tables.
//   - Server.Node starts another server on the same database.
//   - Server.In returns the server for use in a subtest.
//   - Server.Advance moves the server's clock forward. Server.StopClock stops it.
//   - Server.RunJobs runs jobs until the test ends.
//   - Server.RunRelay delivers events until the test ends.
//   - Server.Photos returns the photos feature, to call its jobs directly.
//
// # Requests
//
//   - Server.Test, Server.Live and Server.Other are clients with all scopes.
//   - Server.As returns a client with another credential.
//   - Client.With returns a client that sends one more header.
//   - Client.Get, Post, Patch, Put, Delete and Do send a request and check the status and the schema.
//   - Client.Send sends a request without checks.
//   - File is a request body that is not JSON. Form is a file in a form.
//   - Concurrently sends requests at the same time and counts the statuses.
//   - Response.Fault returns the error of a response.
//   - Response.WantDetail and Fault.WantDetail check that an error has a detail with a field and a code.
//   - Fault.HasDetail reports the same as a boolean.
//
// # Pages
//
//   - Server.Browser returns a browser, which keeps cookies and follows redirects on this machine.
//   - Browser.Open and Browser.Post open a page. Browser.Submit sends its form. View.Form returns the form.
//   - Browser.Stay sends a form without following the redirect.
//   - Browser.SignIn goes through the sign-in pages.
//
// # Credentials and users
//
//   - Server.Key issues an API key with scopes.
//   - Server.KeyWith issues an API key from a request.
//   - Server.Person creates a user with roles and signs them in.
//   - Server.Activate sets the password of a user to Password.
//   - Server.Token signs in a user and returns the token.
//   - Server.SignIn returns the request body that signs in the owner.
//   - Server.OwnerSession signs in the owner. Client.Proof returns an MFA token of the owner.
//   - Person.Enroll adds an authenticator app, and Person.OwnProof returns an MFA token of it.
//   - Server.Code returns the next code of an authenticator app.
//   - Server.RoleID finds a role by its name.
//   - Server.InvitationLinks, Server.ResetLinks, Server.EmailChangeLinks and Server.SSOLinks wait for the links that were sent to an address.
//   - Server.Mail waits for email.
//
// # Sample data
//
// These functions create a resource and return its ID, unless noted.
//
//   - Client.Location, Client.Contact, Client.Channel, Client.User, Client.Role and Client.Session.
//   - Client.App registers an OAuth app. Client.Install installs it in the test environment.
//   - Client.SSOConnection adds an OIDC connection and returns it. Server.Fleet gives all dealerships the fleet plan.
//   - Server.VerifyDomain verifies a domain of a connection.
//   - Client.Hull creates a hull at a location. HullBody is the body it sends.
//   - Client.Photo adds a photo to a hull. Picture is a photo to upload. Server.MakeSizes runs the job of a photo.
//   - Client.ImportFile returns a file with one new hull.
//   - Client.Lead creates a lead, by default with a new contact.
//   - Client.Deal creates a deal. Client.DealBody is the body it sends.
//   - Client.AcceptedDeal creates a deal with an accepted offer.
//   - Client.DealIn creates a deal in a status.
//   - Client.OpeningOffer returns the ID of the oldest offer of a deal.
//   - Client.SignedDocument issues a document and signs it for all signers.
//
// # The database and files
//
//   - Rows reads data that no endpoint returns.
//   - Server.Exec changes rows that no endpoint can change.
//   - TryExec changes rows and returns the error of the database.
//   - Server.InTx runs a store function in a transaction.
//   - Server.Env returns the environment of a row. Server.TestEnv returns that of the test client.
//   - Server.EventTypes returns the types of the events of an object.
//   - Server.WaitForRelay waits until all events are in the feed, and their deliveries exist.
//   - Server.StoredFiles lists the files in the blob folder.
//
// Package powercut shows what a power cut would leave of a SQLite database.
//
// # Comparisons
//
// Package assert compares values and waits for background work. Package faulttest checks
// the errors of rules.
//
// Tests inside the package of a feature can't import testkit, because testkit imports the
// features. Tests with a server are in the folder tests.
package testkit
