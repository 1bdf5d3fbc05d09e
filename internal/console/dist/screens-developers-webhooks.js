import{kd as a,ld as b,md as c,nd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
