import{K as n}from"./chunk-BGI5PTB6.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
