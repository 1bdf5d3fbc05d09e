import{ad as a,bd as b,cd as c,dd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
