import { readFileSync } from 'node:fs';
const s=JSON.parse(readFileSync('test/golden/stored-shapes.generated.json','utf8'));
const i=JSON.parse(readFileSync('test/golden/0.1/items.json','utf8')), m=JSON.parse(readFileSync('test/golden/0.1/messages.json','utf8'));
console.log('missing items', Object.keys(s).filter(k=>k.startsWith('item ')&&!(k.slice(5) in i)).join(' | '));
console.log('missing messages', Object.keys(s).filter(k=>k.startsWith('message ')&&!(k.slice(8) in m)).join(' | '));
console.log('unknown', Object.keys(i).filter(k=>!('item '+k in s)), Object.keys(m).filter(k=>!('message '+k in s)));
