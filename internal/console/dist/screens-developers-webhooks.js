import{$c as c,Zc as a,_c as b,ad as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
