import{f as t}from"./chunk-JOOPPSII.js";import{Q as e}from"./chunk-HOI3DK25.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
