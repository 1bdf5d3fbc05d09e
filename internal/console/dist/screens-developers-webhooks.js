import{od as a,pd as b,qd as c,rd as d}from"./common.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
