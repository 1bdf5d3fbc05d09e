import{Ad as b,Bd as c,Cd as d,zd as a}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
