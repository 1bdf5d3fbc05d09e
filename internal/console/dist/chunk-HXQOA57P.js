import{f as t}from"./chunk-TGCSN36H.js";import{P as e}from"./chunk-G6TLMU25.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
