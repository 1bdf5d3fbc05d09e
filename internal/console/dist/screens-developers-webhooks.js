import{ud as a,vd as b,wd as c,xd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
