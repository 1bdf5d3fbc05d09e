// Manages users and groups with SCIM, and compares the responses with what these npm packages say:
// scimmy has the schemas of RFC 7643 and checks types and values, scim-patch applies PATCH requests, and
// scim2-parse-filter evaluates filters.
import assert from "node:assert/strict";
import SCIMMY from "scimmy";
import { patchBodyValidation, scimPatch } from "scim-patch";
import { filter, parse } from "scim2-parse-filter";

const { BASE, TOKEN, DOMAIN } = process.env;
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp";

async function send(method, path, body, status) {
  const response = await fetch(BASE + path, {
    method, body: body && JSON.stringify(body),
    headers: { Authorization: "Bearer " + TOKEN, Accept: "application/scim+json", ...(body && { "Content-Type": "application/scim+json" }) },
  });
  const text = await response.text();
  assert.equal(response.status, status, `${method} ${path}: ${response.status} ${text}`);
  if (!text) return undefined;
  assert.match(response.headers.get("Content-Type"), /^application\/scim\+json/);
  const value = JSON.parse(text);
  if (status >= 400) check(SCIMMY.Messages.ErrorResponse, value, method + " " + path);
  if (value.meta?.version) assert.equal(response.headers.get("ETag"), value.meta.version);
  if (status === 201) assert.equal(response.headers.get("Location"), value.meta.location);
  return value;
}

/** Fails unless a value can be read as a message or a resource, and nothing gets lost. */
function check(type, value, where) {
  if (type === SCIMMY.Messages.ErrorResponse) {
    const read = new type({ status: Number(value.status), scimType: value.scimType, detail: value.detail });
    assert.deepEqual(value.schemas, [type.id], where);
    assert.equal(read.scimType, value.scimType, where);
    return value;
  }
  const read = JSON.parse(JSON.stringify(new type(value, "out")));
  for (const [name, v] of Object.entries(value)) {
    if (name !== "meta") assert.deepEqual(read[name], v, `${where}: ${name}`);
  }
  return value;
}

const user = (value) => check(SCIMMY.Schemas.User, value, "User");
const group = (value) => check(SCIMMY.Schemas.Group, value, "Group");

async function list(path) {
  const value = await send("GET", path, undefined, 200);
  const read = new SCIMMY.Messages.ListResponse(value);
  assert.deepEqual([read.totalResults, read.startIndex, read.Resources.length], [value.totalResults, value.startIndex, value.Resources.length]);
  return value;
}

// The server describes itself, and its schemas are parts of the RFC's.
check(SCIMMY.Schemas.ServiceProviderConfig, await send("GET", "/ServiceProviderConfig", undefined, 200), "ServiceProviderConfig");
for (const type of (await list("/ResourceTypes")).Resources) {
  check(SCIMMY.Schemas.ResourceType, type, "ResourceType");
  await list(type.endpoint);
}
for (const schema of (await list("/Schemas")).Resources) {
  const known = [SCIMMY.Schemas.User, SCIMMY.Schemas.Group].find((s) => s.definition.id === schema.id).definition;
  assert.deepEqual((await send("GET", "/Schemas/" + schema.id, undefined, 200)).attributes, schema.attributes);
  for (const a of schema.attributes) {
    const same = known.attribute(a.name);
    const multiple = Boolean(same.config.multiValued);
    assert.deepEqual([a.type, a.multiValued], [same.type, multiple], `${schema.id} ${a.name}`);
    for (const sub of a.subAttributes ?? []) {
      const inner = same.subAttributes.find((s) => s.name === sub.name);
      assert.equal(sub.type, inner.type, `${schema.id} ${a.name}.${sub.name}`);
    }
  }
}

// Create, find, replace.
const people = [];
for (const [given, family] of [["Ann", "Bell"], ["Ben", "Ode"], ["Cy", "Ray"]]) {
  const email = `${given.toLowerCase()}@${DOMAIN}`;
  people.push(user(await send("POST", "/Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
    userName: email, externalId: "ext-" + given, displayName: `${given} ${family}`, name: { givenName: given, familyName: family }, active: true,
    emails: [{ value: email, type: "work", primary: true }], "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales" },
  }, 201)));
}
const [ann, ben, cy] = people;
await send("POST", "/Users", { schemas: ann.schemas, userName: ann.userName, emails: ann.emails }, 409);
user(await send("PUT", "/Users/" + cy.id, { ...cy, displayName: "Cyrus Ray" }, 200));

// Filters find what scim2-parse-filter finds.
const all = (await list("/Users")).Resources.map(user);
assert.ok(all.length >= 3);
for (const text of [
  `userName eq "ann@${DOMAIN}"`, `userName eq "ANN@${DOMAIN}"`, `externalId eq "ext-Ben"`, `userName sw "b"`, `displayName co "Ray"`, `name.familyName eq "Bell"`,
  `userName eq "ann@${DOMAIN}" or externalId eq "ext-Cy"`, `active eq true and not (displayName sw "Ann")`, `emails[type eq "work" and value sw "ben"]`,
  `emails.value eq "cy@${DOMAIN}"`, `externalId pr`, `id eq "${ann.id}" and active eq false`, `userName ew "nothing"`, `(displayName co "e") and (displayName co "l")`,
]) {
  const found = (await list("/Users?filter=" + encodeURIComponent(text))).Resources.map((u) => u.id).sort();
  const want = all.filter(filter(parse(text))).map((u) => u.id).sort();
  // userName ignores case, which the package doesn't know.
  if (text.includes("ANN@")) assert.deepEqual(found, [ann.id]);
  else assert.deepEqual(found, want, text);
}
for (const text of ["userName", "userName eq", `userName eq "x`, `userName xx "x"`, `(userName eq "x"`]) {
  assert.equal((await send("GET", "/Users?filter=" + encodeURIComponent(text), undefined, 400)).scimType, "invalidFilter");
}
const pageTwo = await list("/Users?startIndex=2&count=1");
assert.deepEqual([pageTwo.itemsPerPage, pageTwo.Resources[0].id], [1, all[1].id]);

/** Sends operations to the server and to scim-patch, and compares the resources. To scim-patch, a member is another
 * one if the name is missing, so it gets the same operations in another form. */
async function patch(path, Operations, names, status, same = Operations) {
  const body = { schemas: [patchSchema], Operations };
  patchBodyValidation(structuredClone(body));
  const before = await send("GET", path, undefined, 200);
  const want = scimPatch(structuredClone(before), structuredClone(same));
  await send("PATCH", path, body, status);
  const after = await send("GET", path, undefined, 200);
  for (const name of names) {
    const plain = (v) => (Array.isArray(v) ? [...new Set(v.map((e) => e.value))].sort() : (v ?? []));
    assert.deepEqual(plain(after[name]), plain(want[name]), `${path} ${name} after ${JSON.stringify(Operations)}`);
  }
  return after;
}

for (const operations of [
  [{ op: "replace", path: "displayName", value: "Ann B." }],
  [{ op: "Replace", path: "name.givenName", value: "Anna" }, { op: "Add", path: "externalId", value: "ext-2" }],
  [{ op: "replace", value: { displayName: "Anna Bell" } }],
  [{ op: "add", path: "name", value: { formatted: "Anna Bell" } }],
  [{ op: "remove", path: "name.formatted" }],
  [{ op: "replace", path: "emails[type eq \"work\"].value", value: `anna@${DOMAIN}` }],
  [{ op: "Replace", path: "active", value: false }],
  [{ op: "replace", value: { active: true } }],
]) {
  user(await patch("/Users/" + ann.id, operations, ["userName", "externalId", "displayName", "name", "active", "emails"], 200));
}

const made = group(await send("POST", "/Groups", { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "Sales", members: [{ value: ann.id }] }, 201));
await send("POST", "/Groups", { schemas: made.schemas, displayName: "Sales" }, 409);
for (const operations of [
  [{ op: "add", path: "members", value: [{ value: ben.id }] }],
  [{ op: "add", path: "members", value: [{ value: ben.id }, { value: cy.id }] }],
  [{ op: "remove", path: `members[value eq "${ann.id}"]` }],
  [{ op: "Remove", path: "members", value: [{ value: ben.id }] }],
  [{ op: "replace", path: "members", value: [{ value: ann.id }, { value: ben.id }] }],
  [{ op: "replace", value: { displayName: "Boat sales" } }],
  [{ op: "remove", path: "members" }],
]) {
  const same = operations[0].op === "Remove" ? [{ op: "remove", path: `members[value eq "${ben.id}"]` }] : operations;
  group(await patch("/Groups/" + made.id, operations, ["displayName", "members"], 204, same));
}
const found = await list("/Groups?excludedAttributes=members&filter=" + encodeURIComponent(`displayName eq "Boat sales"`));
assert.deepEqual([found.totalResults, "members" in found.Resources[0]], [1, false]);

// Errors and deletion.
await send("PATCH", "/Users/" + ann.id, { schemas: [patchSchema], Operations: [{ op: "replace", path: "id", value: "x" }] }, 400);
await send("POST", "/Users", { schemas: ann.schemas, userName: "x@elsewhere.example" }, 400);
await send("GET", "/Users/unknown", undefined, 404);
for (const path of ["/Groups/" + made.id, ...people.map((u) => "/Users/" + u.id)]) {
  await send("DELETE", path, undefined, 204);
  await send("GET", path, undefined, 404);
}
console.log("done");
