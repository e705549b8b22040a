import { createHash } from 'node:crypto';
import { answer } from '../../shared/http/reply.ts';
import { readOwnFile } from '../../shared/runtime/file.ts';
import { type FileName, fileSources, fileTypes } from './contract.ts';

const start = "Redoc.init('/docs/openapi.json', { hideDownloadButton: false, requiredPropsFirst: true }, document.querySelector('main'));";

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Switchboard API</title>
<style>body{margin:0}noscript p{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
</head>
<body>
<main></main>
<noscript><p>This page draws itself with a script. The same document, for tools and for reading: <a href="/docs/openapi.json">openapi.json</a>.</p></noscript>
<script src="/docs/redoc.js"></script>
<script>${start}</script>
</body>
</html>
`;

/** Only our own two scripts run, and nothing is asked of another host; the renderer writes its styles into the page. */
const policy = [
  "default-src 'none'",
  `script-src 'self' 'sha256-${createHash('sha256').update(start).digest('base64')}'`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  'worker-src blob:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const common = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

export const showReference = () =>
  answer(200, page, {
    ...common,
    'content-security-policy': policy,
    'cache-control': 'public, max-age=300',
  });

/** The renderer would show its logo from its own host. */
const rendererLogo = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const noImage = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

/** A file, compressed for whoever takes it so. */
export const showReferenceFile = async (name: FileName, accepted: string | undefined) =>
  answer(200, (await readOwnFile(fileSources, name)).toString('utf8').replaceAll(rendererLogo, noImage), {
    ...common,
    'content-type': fileTypes[name],
    'cache-control': 'public, max-age=300',
    vary: 'accept-encoding',
    ...(/\bgzip\b/.test(accepted ?? '') ? { 'content-encoding': 'gzip' } : {}),
  });
