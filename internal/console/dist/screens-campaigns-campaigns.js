import{a,b}from"./shared-screens-campaigns-form.js";import"./common.js";export{b as Campaigns,a as tones};
