import{f as t}from"./shared-screens-people.js";import{Q as e}from"./shared-sdk-ts-src-services.gen.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
