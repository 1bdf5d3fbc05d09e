import{f as t}from"./chunk-SFO6M5B2.js";import{P as e}from"./chunk-D66S7VRZ.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
