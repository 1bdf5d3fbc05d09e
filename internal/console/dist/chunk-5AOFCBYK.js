import{f as t}from"./chunk-WKV7DP2R.js";import{P as e}from"./chunk-T7JMAPHO.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
