import{f as t}from"./chunk-6RAQ6CTI.js";import{Q as e}from"./chunk-Y62BQ4FC.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
