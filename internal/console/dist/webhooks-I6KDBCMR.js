<<<<<<<< HEAD:internal/console/dist/webhooks-I6KDBCMR.js
import{c as a,d as b,e as c,f as d}from"./chunk-X2EYA35Y.js";import"./chunk-L5PXYG7K.js";import"./chunk-E5MWSOV5.js";import"./chunk-YN3D4PXW.js";import"./chunk-W6Y3TEQK.js";import"./chunk-OAZ2FDOJ.js";import"./chunk-BAUQ7ZMX.js";import"./chunk-XHSIGIYK.js";import"./chunk-YVDOAYXW.js";import"./chunk-MU3JCJ3R.js";import"./chunk-TAC2EPGY.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
========
import{c as a,d as b,e as c,f as d}from"./chunk-WLWNZHFU.js";import"./chunk-L5PXYG7K.js";import"./chunk-WD2UHEIC.js";import"./chunk-YN3D4PXW.js";import"./chunk-W6Y3TEQK.js";import"./chunk-OAZ2FDOJ.js";import"./chunk-ALSNUQCL.js";import"./chunk-XHSIGIYK.js";import"./chunk-YVDOAYXW.js";import"./chunk-MU3JCJ3R.js";import"./chunk-TAC2EPGY.js";export{c as Health,a as Webhooks,d as editWebhook,b as webhookName};
>>>>>>>> deals:internal/console/dist/webhooks-66GNQCRK.js
