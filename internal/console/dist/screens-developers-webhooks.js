import{Gd as a,Hd as b,Id as c,Jd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
