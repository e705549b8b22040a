import { Marked } from 'marked';

/** Text in HTML. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');

/** What looks like HTML in a text is shown, and is none; every heading has an address. */
const markdown = new Marked({
  renderer: {
    html: ({ text }) => escaped(text),
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    table(token) {
      const row = (cells: readonly { tokens: (typeof token.header)[number]['tokens'] }[], tag: string): string =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
      const body = token.rows.map((cells) => row(cells, 'td')).join('');
      return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
    },
    code: ({ text, lang = '' }) => `<pre tabindex="0" class="${escaped(lang)}"><code>${escaped(text)}</code></pre>\n`,
  },
});

/** Markdown of our own as HTML. */
export const htmlOf = (text: string): string => markdown.parse(text, { async: false });

const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dde3, #353b44); --soft: light-dark(#f4f6f8, #1d2229); --link: light-dark(#0a58ca, #7db4ff); }
body { margin: 0; background: light-dark(#fff, #14181d); color: light-dark(#1b2027, #e6eaee); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .75rem 1rem; border-bottom: 1px solid var(--line); }
a { color: var(--link); }
header a { color: inherit; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
h1 { line-height: 1.2; }
h2 { margin-top: 2.5rem; padding-top: .5rem; border-top: 1px solid var(--line); }
:is(h1, h2, h3)[id] { scroll-margin-top: 1rem; }
code { font: .875em/1.5 ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: .25rem; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: .375rem; padding: .75rem 1rem; overflow: auto; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
.wide { overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: start; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
td:first-child code { white-space: nowrap; }
@media (max-width: 40rem) { td, th { padding: .4rem .3rem; } td:first-child code { white-space: normal; } }
`;

/** A page with what every page has: where it belongs, and its text in Markdown. */
export const pageHtml = ({
  title,
  content,
  markdownPath,
}: {
  title: string;
  content: string;
  markdownPath: string;
}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${escaped(markdownPath)}">
<title>${escaped(title)} · Switchboard API</title>
<style>${style}</style>
</head>
<body>
<header><a href="/docs"><strong>Switchboard API</strong></a><a href="/docs/contents">All pages</a><a href="${escaped(markdownPath)}">This page as Markdown</a></header>
<main>${content}</main>
</body>
</html>
`;
