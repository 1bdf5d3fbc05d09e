import{f as t}from"./chunk-SF4PAD4F.js";import{P as e}from"./chunk-KCK4VDBY.js";function l(o){return e(t,{...o,onClose:()=>{o.form.reset(),o.onClose()}})}export{l as a};
