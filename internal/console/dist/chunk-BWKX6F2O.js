import{K as n}from"./chunk-KCK4VDBY.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
