import{s as n}from"./chunk-SHWZ7Q43.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
