import{Uc as a,Vc as b,Wc as c,Xc as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
