<<<<<<<< HEAD:internal/console/dist/chunk-ZIMJQAIN.js
import{K as s,v as i,x as c}from"./chunk-BGI5PTB6.js";var e=s([]);function a(n){let r=c(n);r.current=n;let u=n.map(t=>t.title).join(`
========
import{d as i,f as c,s}from"./chunk-SHWZ7Q43.js";var e=s([]);function a(n){let r=c(n);r.current=n;let u=n.map(t=>t.title).join(`
>>>>>>>> dev:internal/console/dist/chunk-7YFGHTNT.js
`);i(()=>{let t=r.current.map((o,m)=>({...o,run:()=>r.current[m]?.run()}));return e.set([...e.get(),...t]),()=>e.set(e.get().filter(o=>!t.includes(o)))},[u])}export{e as a,a as b};
