import{L as n}from"./chunk-YRHMXPHV.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
