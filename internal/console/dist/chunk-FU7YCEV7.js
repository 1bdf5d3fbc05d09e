import{f as t}from"./chunk-ULTJQ4O2.js";import{Q as e}from"./chunk-2FGNQH34.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
