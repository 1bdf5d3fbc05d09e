import{Ad as a,Bd as b,Cd as c,Dd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
