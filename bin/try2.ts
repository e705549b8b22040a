import { readFileSync, writeFileSync } from 'node:fs';
import { generateTable } from '../lib/generate/table.ts';
import { registry } from '../shared/table/entity.ts';
await generateTable();
const file='test/golden/0.1/items.json';
const i=JSON.parse(readFileSync(file,'utf8')) as Record<string,any[]>;
const names=new Set(registry.map(e=>e.name));
const rx=(t:string)=>new RegExp('^'+t.split(/<[^>]*>/).map(p=>p.replace(/[.*+?^${}()|[\]\\]/g,'\\$&')).join('.+')+'$');
const out:Record<string,any[]>={};
for(const [k,vs] of Object.entries(i)) for(const v of vs){
  let name=k;
  if(!names.has(k)){ const m=registry.filter(e=>rx(e.example.pk).test(v.pk)&&rx(e.example.sk).test(v.sk)); if(m.length!==1){console.log('??',k,v.pk,v.sk,m.map(e=>e.name)); if(m.length===0)continue;} name=m[0].name; }
  (out[name]??=[]).push(v);
}
writeFileSync(file,'{\n'+Object.entries(out).sort(([a],[b])=>a<b?-1:1).map(([k,vs])=>`${JSON.stringify(k)}: [\n${vs.slice(0,4).map(v=>' '+JSON.stringify(v)).join(',\n')}\n]`).join(',\n')+'\n}\n');
