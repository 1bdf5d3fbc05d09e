import{a,b}from"./shared-screens-leads-quarantine.js";import"./common.js";export{b as Quarantine,a as QuarantineLine};
