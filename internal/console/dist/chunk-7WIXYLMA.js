import{L as n}from"./chunk-JQ2ANN6S.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
