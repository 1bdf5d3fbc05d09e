import{Xc as a,Yc as b,Zc as c,_c as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
