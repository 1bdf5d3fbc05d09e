import{nd as a,od as b,pd as c,qd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
