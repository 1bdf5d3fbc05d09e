// Signs in with a passkey or a security key, or creates one. The options are in the page, and the
// result is sent with the form. Everything else works without JavaScript.
"use strict";
(() => {
  const form = document.getElementById("passkey");
  if (!form || !window.PublicKeyCredential) return;
  const button = form.querySelector("button"), problem = document.getElementById("passkey-problem");

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  const create = async (publicKey) => {
    publicKey.user.id = bytes(publicKey.user.id);
    for (const c of publicKey.excludeCredentials || []) c.id = bytes(c.id);
    const c = await navigator.credentials.create({ publicKey });
    return [c, { attestationObject: text(c.response.attestationObject), clientDataJSON: text(c.response.clientDataJSON) }];
  };
  const sign = async (publicKey) => {
    for (const c of publicKey.allowCredentials || []) c.id = bytes(c.id);
    const c = await navigator.credentials.get({ publicKey });
    return [c, {
      authenticatorData: text(c.response.authenticatorData), clientDataJSON: text(c.response.clientDataJSON),
      signature: text(c.response.signature), userHandle: c.response.userHandle ? text(c.response.userHandle) : undefined,
    }];
  };

  form.hidden = false;
  document.querySelectorAll(".needs-passkey").forEach((e) => { e.hidden = false; });
  form.addEventListener("submit", async (event) => {
    if (form.elements.assertion.value) return;
    event.preventDefault();
    button.disabled = true;
    problem.hidden = true;
    try {
      const { publicKey } = JSON.parse(form.dataset.options);
      publicKey.challenge = bytes(publicKey.challenge);
      const [c, response] = await ("create" in form.dataset ? create : sign)(publicKey);
      form.elements.assertion.value = JSON.stringify({
        id: c.id, rawId: text(c.rawId), type: c.type, clientExtensionResults: c.getClientExtensionResults(), response,
      });
      form.submit();
    } catch (e) {
      button.disabled = false;
      problem.hidden = false;
    }
  });
})();
