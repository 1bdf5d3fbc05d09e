import{b as a,c as b,d as c}from"./shared-screens-contacts-contact.js";import"./common.js";export{a as Contact,b as ContactFacts,c as ContactLeads};
