import{U as s,w as i,y as c}from"./shared-sdk-ts-src-services.gen.js";var e=s([]);function a(n){let r=c(n);r.current=n;let u=n.map(t=>t.title).join(`
`);i(()=>{let t=r.current.map((o,m)=>({...o,run:()=>r.current[m]?.run()}));return e.set([...e.get(),...t]),()=>e.set(e.get().filter(o=>!t.includes(o)))},[u])}export{e as a,a as b};
