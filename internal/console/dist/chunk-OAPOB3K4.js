import{K as n}from"./chunk-474OCBVN.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
