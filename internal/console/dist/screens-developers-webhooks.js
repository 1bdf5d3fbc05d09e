import{cd as a,dd as b,ed as c,fd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
