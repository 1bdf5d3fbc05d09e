import{j as a,k as b,l as c}from"./shared-screens-today.js";import"./common.js";export{b as Figure,a as Today,c as monthLabel};
