import{f as t}from"./chunk-RAL5EANP.js";import{x as e}from"./chunk-TAC2EPGY.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
