import{L as n}from"./chunk-2FGNQH34.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
