import{K as n}from"./chunk-D66S7VRZ.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
