<<<<<<<< HEAD:internal/console/dist/today-LW47Z6XE.js
import{j as a,k as b,l as c}from"./chunk-ZPGG6A5S.js";import"./chunk-JEYQTTUU.js";import"./chunk-IE7P6PGA.js";import"./chunk-K5VBUIZO.js";import"./chunk-LSC7SN5B.js";import"./chunk-OAZ2FDOJ.js";import"./chunk-UZJRI5ST.js";import"./chunk-XHSIGIYK.js";import"./chunk-B6O4KXCJ.js";import"./chunk-YVDOAYXW.js";import"./chunk-MU3JCJ3R.js";import"./chunk-TAC2EPGY.js";export{b as Figure,a as Today,c as monthLabel};
========
import{i as a,j as b,k as c}from"./chunk-S7QPASPK.js";import"./chunk-JEYQTTUU.js";import"./chunk-IE7P6PGA.js";import"./chunk-K5VBUIZO.js";import"./chunk-LSC7SN5B.js";import"./chunk-OAZ2FDOJ.js";import"./chunk-AE2PY2A2.js";import"./chunk-XHSIGIYK.js";import"./chunk-B6O4KXCJ.js";import"./chunk-YVDOAYXW.js";import"./chunk-MU3JCJ3R.js";import"./chunk-TAC2EPGY.js";export{b as Figure,a as Today,c as monthLabel};
>>>>>>>> leads:internal/console/dist/today-CKMLWVYZ.js
