import{ed as a,fd as b,gd as c,hd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
