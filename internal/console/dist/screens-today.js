import{m as a,n as b}from"./shared-screens-today.js";import"./common.js";export{b as Figure,a as Today};
