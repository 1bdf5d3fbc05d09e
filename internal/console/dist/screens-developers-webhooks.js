import{td as a,ud as b,vd as c,wd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
