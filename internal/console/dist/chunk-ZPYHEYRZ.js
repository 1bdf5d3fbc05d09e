import{L as n}from"./chunk-HOI3DK25.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
