import{K as n}from"./chunk-G6TLMU25.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
