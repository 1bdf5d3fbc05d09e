import{U as n}from"./shared-sdk-ts-src-services.gen.js";var t=n("");function r(o){t.set(o)}export{t as a,r as b};
