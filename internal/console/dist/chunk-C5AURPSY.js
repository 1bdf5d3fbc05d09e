import{f as t}from"./chunk-HCTNZJSV.js";import{P as e}from"./chunk-474OCBVN.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
