import { answer } from '../../shared/http/reply.ts';
import { readOwnFile } from '../../shared/runtime/file.ts';
import { processValue } from '../../shared/runtime/memory.ts';
import { problem } from '../../shared/contract/problems.ts';
import { type FileName, fileSources, fileTypes, type GuideName, guideSources, guideTopics } from './contract.ts';
import type { ApiDocument } from './domain/document.ts';
import { htmlOf, pageHtml } from './domain/html.ts';
import { contentsPage, type Guide, pageOf, type Samples, type Section, type Sources, titleOf } from './domain/pages.ts';

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
#first { font: 1rem/1.6 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
main [id] { scroll-margin-top: 4rem; }
main .redoc-json li { line-height: 24px; }
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

const page = (guides: readonly Guide[]): string => `<!doctype html>
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
<div id="first">
<h1>Switchboard API</h1>
<p>Every guide, operation and error has <a href="/docs/contents">a page of its own</a>, which needs no script. For tools: <a href="/docs/openapi.json">openapi.json</a>; for programs that read: <a href="/docs/llms.txt">llms.txt</a>.</p>
<ul>${guides.map(({ name, text }) => `<li><a href="/docs/guides/${name}">${titleOf(text)}</a></li>`).join('')}</ul>
<noscript><p>All on one page needs JavaScript.</p></noscript>
</div>
<main></main>
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

export const showReference = async () =>
  answer(200, page((await readSources()).guides), {
    ...common,
    'content-security-policy': policy,
    'cache-control': 'public, max-age=300',
  });

/** The renderer would load its logo from its own host. */
const rendererLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const noImage = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

type SourceName = keyof typeof fileSources;
const texts = new Map<SourceName, Promise<string>>();

/** Read once in a process. */
function textOf(name: SourceName): Promise<string> {
  const known = texts.get(name);
  if (known) return known;
  const reading = readOwnFile(fileSources, name).then((bytes) => bytes.toString('utf8').replaceAll(rendererLogo, noImage));
  texts.set(name, reading);
  reading.catch(() => texts.delete(name));
  return reading;
}

/** What the pages are made of, as the files of this release have it. */
const readSources = processValue(async (): Promise<Sources> => {
  const names = Object.keys(guideSources) as GuideName[];
  const [document, samples, guides] = await Promise.all([
    textOf('openapi.json'),
    textOf('code-samples.json'),
    Promise.all(names.map(async (name) => ({ name, text: await textOf(name), topics: guideTopics[name] }))),
  ]);
  return { document: JSON.parse(document) as ApiDocument, samples: JSON.parse(samples) as Samples, guides };
});

const headersOf = (type: string, accepted: string | undefined): Record<string, string> => ({
  ...common,
  'content-type': type,
  'cache-control': 'public, max-age=300',
  vary: 'accept-encoding',
  ...(/\bgzip\b/.test(accepted ?? '') ? { 'content-encoding': 'gzip' } : {}),
});

/** Nothing runs on a page of its own. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

const htmlAnswer = (text: string, markdownPath: string, accepted: string | undefined) =>
  answer(200, pageHtml({ title: titleOf(text), content: htmlOf(text), markdownPath }), {
    ...headersOf('text/html; charset=utf-8', accepted),
    'content-security-policy': pagePolicy,
  });

/** A file of the page, or the list of all pages; compressed for clients that accept gzip. */
export const showReferenceFile = async (name: FileName, accepted: string | undefined) => {
  if (name === 'contents' || name === 'contents.md' || name === 'llms.txt') {
    const text = contentsPage(await readSources());
    if (name === 'contents') return htmlAnswer(text, '/docs/contents.md', accepted);
    // a program goes on in Markdown
    return answer(200, text.replaceAll(/\]\((\/docs\/[a-z]+\/[^)]+)\)/g, ']($1.md)'), headersOf(fileTypes[name], accepted));
  }
  return answer(200, await textOf(name), headersOf(fileTypes[name], accepted));
};

/** A page that needs no script, or its Markdown. */
export const showReferencePage = async (section: Section, page: string, accepted: string | undefined) => {
  const name = page.replace(/\.md$/, '');
  const text = pageOf(await readSources(), section, name);
  if (text === undefined) return problem('not_found');
  return name === page
    ? htmlAnswer(text, `/docs/${section}/${name}.md`, accepted)
    : answer(200, text, headersOf('text/markdown; charset=utf-8', accepted));
};
