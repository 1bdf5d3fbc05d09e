import{f as t}from"./chunk-HODUIMMV.js";import{Q as e}from"./chunk-YRHMXPHV.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
