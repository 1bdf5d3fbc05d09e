import{Hd as a,Id as b,Jd as c,Kd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
