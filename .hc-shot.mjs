import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { pageAnswer } from './functions/reference/page.ts';
const page = pageAnswer();
const s = createServer((q, r) => { const u=q.url; if(u.startsWith('/docs/openapi.json')){r.setHeader('content-type','application/json');r.end(readFileSync('openapi.json'))} else if(u.startsWith('/docs/redoc.js')){r.setHeader('content-type','text/javascript');r.end(readFileSync('node_modules/redoc/bundles/redoc.standalone.js'))} else {r.setHeader('content-type','text/html'); r.end(page.body)} }).listen(4555);
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const [w,h] of [[1440,1000],[390,844]]) {
  const p = await b.newPage({ viewport: { width: w, height: h } });
  p.on('pageerror', e => console.log('ERR', e.message)); p.on('console', m => m.type()==='error' && console.log('C', m.text().slice(0,200)));
  const t=Date.now(); await p.goto('http://127.0.0.1:4555/docs'); await p.waitForSelector('h1', {timeout: 60000}); await p.waitForTimeout(3000); console.log(w, Date.now()-t, await p.evaluate(()=>document.documentElement.scrollWidth));
  await p.screenshot({ path: `/tmp/hc-${w}-top.png` });
  for (const a of (process.argv[2]??'').split(',').filter(Boolean)) { await p.evaluate(x => { document.getElementById(x)?.scrollIntoView() ?? console.error('no '+x) }, a); await p.waitForTimeout(1200); await p.screenshot({ path: `/tmp/hc-${w}-${a.replace(/\W/g,'_')}.png` }); }
  if (w===1440) for (const q of ['opt-out','otp','pagination','send template','unsubscribe','status','lead']) { const i = await p.$('input[placeholder^="Search"]'); if(!i){console.log('no search');break} await i.fill(''); await i.type(q); await p.waitForTimeout(1500); console.log(q, JSON.stringify(await p.$$eval('[data-role="search:results"] li', l=>l.slice(0,6).map(x=>x.textContent))));}
}
await b.close(); s.close();
