import{f as t}from"./chunk-RFGEXBIK.js";import{Q as e}from"./chunk-JQ2ANN6S.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
