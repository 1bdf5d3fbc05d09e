// Package testkit is what tests are written with: a service on a fresh
// database, clients, sample data and comparisons that say what was wanted.
//
// A test of an endpoint looks like this:
//
//	testkit.Each(t, func(t *testing.T, s *testkit.Server) {
//		var h hulls.Hull
//		s.Test.Get("/v1/hulls/"+s.Test.Hull(s.Test.Location(), nil), 200, &h)
//		testkit.Equal(t, h.Status, hulls.Available)
//	})
//
// # Servers
//
//   - Each runs a test on SQLite and on PostgreSQL.
//   - OnSQLite starts the service on a fresh SQLite database.
//   - OnPostgres starts the service on a fresh PostgreSQL database.
//   - EmptyPostgres makes a database without tables for a process to migrate.
//   - Server.Node starts another node of the service on the same database.
//   - Server.In returns the server for use in a subtest.
//   - Server.Advance moves the service's clock.
//   - Server.Working works jobs until the test ends.
//   - Server.Relaying delivers events until the test ends.
//   - Server.Inventory returns the hulls feature, to call its jobs directly.
//
// # Requests
//
//   - Server.Test, Server.Live and Server.Rival are clients with every scope.
//   - Server.As returns a client with another credential.
//   - Client.With returns a client that sends one more header.
//   - Client.Get, Post, Patch, Put, Delete and Do send a request and check the status and the schema.
//   - Client.Send sends a request and checks nothing.
//   - File is a request body that is not JSON.
//   - AtOnce sends requests at the same time and counts the statuses.
//   - Response.Fault returns the error of a response.
//   - Response.WantDetail checks which field an error blames, and with which code.
//   - Fault.WantDetail does the same for an error in hand.
//   - Fault.Blames reports the same as a boolean.
//
// # Credentials and people
//
//   - Server.Key issues an API key with these scopes.
//   - Server.KeyWith issues an API key as described.
//   - Server.Person provisions a user with roles and signs them in.
//   - Server.Activate gives a user the Password.
//   - Server.Token signs a user in and returns the token.
//   - Server.SignIn returns the body that signs the owner in.
//   - Server.RoleID finds a role by its name.
//   - Client.Proof is an MFA token of the owner.
//   - Person.Enroll adds an authenticator app, and Person.OwnProof is an MFA token of it.
//   - Server.InvitationLinks and Server.EmailChangeLinks wait for the links that were sent to an address.
//   - Server.Mail waits for email.
//   - Password is the password of every Person.
//
// # Sample data: each makes one and returns its id
//
//   - Client.Location, Client.Contact, Client.Channel, Client.User, Client.Role and Client.Session make what they say.
//   - Client.Hull makes a hull at a location; HullBody is the body it sends.
//   - Client.Photo gives a hull a photo; Picture is a photo to upload; Server.MakeSizes does a photo's job.
//   - Client.ImportFile is a file with one new hull.
//   - Client.Lead makes a lead of a new contact.
//   - Client.Deal makes a deal; Client.DealBody is the body it sends.
//   - Client.AcceptedDeal makes a deal with an accepted offer.
//   - Client.DealIn makes a deal and brings it to a status.
//   - Client.OpeningOffer finds the oldest offer of a deal.
//   - Client.SignedDocument issues a document and signs it for every signer.
//
// # The database
//
//   - Rows reads what no request shows.
//   - Server.Exec changes rows that no request can change.
//   - TryExec changes rows and returns the error of the database.
//   - Server.InTx runs a store function in a transaction.
//   - Server.Env finds the environment of a row.
//
// # Comparisons
//
//   - Equal compares two values and shows how they differ.
//   - Len checks the length of a list, before the test indexes it.
//   - Contains checks that a text has a part.
//   - Excludes checks that a text does not have a part.
//   - Eventually waits for background work, for 90 seconds at most.
//   - Show prints a value, following pointers, for a failure of your own.
package testkit
