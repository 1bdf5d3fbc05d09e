import{pd as a,qd as b,rd as c,sd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
