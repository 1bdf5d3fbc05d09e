// Runs in a browser, and writes the result on the page. See scripts/test-sdk-ts.
import { cases, check } from "./vectors.ts";

Promise.all(cases.map(check)).then(
  () => (document.body.textContent = `Webhooks: OK, ${cases.length} cases`),
  (e) => (document.body.textContent = String(e)),
);
