import { answer } from '../../shared/http/reply.ts';
import { readOwnFile } from '../../shared/runtime/file.ts';
import { type FileName, fileSources, fileTypes } from './contract.ts';

const style = `
body { margin: 0; }
header { position: sticky; top: 0; z-index: 200; display: flex; gap: 1rem; align-items: center; padding: .5rem 1rem;
  background: #fff; border-bottom: 1px solid #d8dde3; font: 1rem/1.5 system-ui, sans-serif; }
header a { color: inherit; text-decoration: none; }
header form { position: relative; flex: 1; max-width: 36rem; margin: 0; }
#search { box-sizing: border-box; width: 100%; padding: .4rem .75rem; border: 1px solid #8893a0; border-radius: .375rem; font: inherit; }
#results { position: absolute; left: 0; right: 0; margin: .25rem 0 0; padding: .25rem; max-height: 70vh; overflow: auto; list-style: none;
  background: #fff; border: 1px solid #8893a0; border-radius: .375rem; box-shadow: 0 .5rem 1.5rem rgb(0 0 0 / .15); }
#results li { padding: .25rem .5rem; }
#results a { display: block; border-radius: .25rem; }
#results a:hover, #results a:focus { background: #eef2f7; }
#results small { display: block; color: #59636e; overflow-wrap: anywhere; }
.label { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
noscript p { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
main .redoc-markdown td { vertical-align: top; }
main .redoc-markdown td code, [id='section/Errors'] li > code:first-child { white-space: nowrap; word-break: normal; }
@media (max-width: 50rem) {
  header > a { display: none; }
  main .redoc-markdown :is(table, tbody, tr, td) { display: block; width: auto; }
  main .redoc-markdown thead { display: none; }
  main .redoc-markdown tr { padding: .5rem 0; border-bottom: 1px solid #d8dde3; }
  main .redoc-markdown td { padding: .1rem 0 !important; border: 0 !important; }
  main .redoc-markdown td code { white-space: normal; overflow-wrap: anywhere; }
}
`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Switchboard API</title>
<style>${style}</style>
</head>
<body>
<header>
<a href="/docs"><strong>Switchboard API</strong></a>
<form role="search"><label class="label" for="search">Search the reference</label>
<input id="search" type="search" placeholder="Search operations, fields and guides" autocomplete="off" disabled>
<ul id="results" hidden></ul></form>
</header>
<main></main>
<noscript><p>This page needs JavaScript. The same document for tools: <a href="/docs/openapi.json">openapi.json</a>.</p></noscript>
<script src="/docs/redoc.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

/** Only our own scripts run, and no request goes to another host. The renderer inlines its styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const common = { 'referrer-policy': 'no-referrer' };

export const showReference = () =>
  answer(200, page, {
    ...common,
    'content-security-policy': policy,
    'cache-control': 'public, max-age=300',
  });

/** The renderer would load its logo from its own host. */
const rendererLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const noImage = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

const texts = new Map<FileName, Promise<string>>();

/** Read once in a process. */
function textOf(name: FileName): Promise<string> {
  const known = texts.get(name);
  if (known) return known;
  const reading = readOwnFile(fileSources, name).then((bytes) => bytes.toString('utf8').replaceAll(rendererLogo, noImage));
  texts.set(name, reading);
  reading.catch(() => texts.delete(name));
  return reading;
}

/** A file of the page, compressed for clients that accept gzip. */
export const showReferenceFile = async (name: FileName, accepted: string | undefined) =>
  answer(200, await textOf(name), {
    ...common,
    'content-type': fileTypes[name],
    'cache-control': 'public, max-age=300',
    vary: 'accept-encoding',
    ...(/\bgzip\b/.test(accepted ?? '') ? { 'content-encoding': 'gzip' } : {}),
  });
