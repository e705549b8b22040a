import { escapeHtml } from '../../../shared/runtime/html.ts';
import type { MagicLinkResult } from '../service/magic-links.ts';

const pages = {
  verified: { status: 200, title: 'Verified', text: 'You are verified. You can close this page and go back.' },
  already: { status: 200, title: 'Already verified', text: 'You are already verified by this link. You can close this page.' },
  neutral: { status: 200, title: 'Verification link', text: 'Press the button to verify, if it was you who requested it.' },
  confirm: { status: 200, title: 'Verify', text: 'Press the button to verify, if it was you who requested it.' },
  invalid: { status: 410, title: 'Link not valid', text: 'This link is invalid or has expired. Request a new one.' },
} as const satisfies Record<MagicLinkResult['page'], { status: 200 | 410; title: string; text: string }>;

interface PageResponse {
  status: 200 | 410;
  body: string;
  headers: Record<string, string>;
}

/** The page of a magic link, with headers that allow no framing, no script and no referrer. */
export const toPageResponse = ({ page, about = [], continueAt }: MagicLinkResult): PageResponse => {
  const { status, title, text } = pages[page];
  const button = page === 'confirm' || page === 'neutral' ? '<form method="post"><button type="submit">Verify</button></form>' : '';
  const details = page === 'invalid' ? [] : about.map((sentence) => `<p>${escapeHtml(sentence)}</p>`);
  // the browser continues by the link or after three seconds: no script is needed, and the result can be read first
  const continueLink = continueAt === undefined ? '' : `<p><a href="${escapeHtml(continueAt)}">Continue</a></p>`;
  const refresh = continueAt === undefined ? '' : `<meta http-equiv="refresh" content="3;url=${escapeHtml(continueAt)}">\n`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh}<title>${title}</title>
<style>:root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;padding:3rem 1rem;color:#111;background:#fff}main{max-width:32rem;margin:auto}button{font:inherit;padding:.75rem 1.5rem}@media (prefers-color-scheme:dark){body{color:#eee;background:#111}}</style>
</head>
<body><main><h1>${title}</h1><p role="status">${text}</p>${details.join('')}${button}${continueLink}</main></body>
</html>
`;
  return {
    status,
    body,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    },
  };
};
