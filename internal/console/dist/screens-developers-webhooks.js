import{Fd as a,Gd as b,Hd as c,Id as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
