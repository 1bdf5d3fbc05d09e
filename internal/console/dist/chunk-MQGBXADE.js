import{s as n}from"./chunk-TAC2EPGY.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
