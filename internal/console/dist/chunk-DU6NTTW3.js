<<<<<<<< HEAD:internal/console/dist/chunk-DU6NTTW3.js
import{P as n}from"./chunk-BGI5PTB6.js";function l({moments:o}){return n("ol",{class:"line",children:o.map((e,t)=>n("li",{class:t===0?"now":"",children:[e.what,n("small",{children:e.note})]},e.id))})}export{l as a};
========
import{x as n}from"./chunk-SHWZ7Q43.js";function l({moments:o}){return n("ol",{class:"line",children:o.map((e,t)=>n("li",{class:t===0?"now":"",children:[e.what,n("small",{children:e.note})]},e.id))})}export{l as a};
>>>>>>>> dev:internal/console/dist/chunk-JAKHXAKE.js
