import { fillTemplate, type MailValues } from './domain/code-template.ts';

/** What people see: the email with the code, and the page of a magic link. No script, no picture, no foreign address. */
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** The email of a code: in the profile's words where it has some (V2), else in ours. */
export const codeMail = (values: MailValues, wording?: { subject?: string | undefined; body?: string | undefined }) => {
  const { code, link, minutes, name } = values;
  const lasts = `It is valid for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  const care = 'If you did not ask for it, ignore this email and tell the code to nobody.';
  const from = name === '' ? '' : ` for ${name}`;
  const subject = wording?.subject === undefined ? `${code} is your verification code` : fillTemplate(wording.subject, values);
  if (wording?.body !== undefined) {
    const text = fillTemplate(wording.body, values);
    const paragraphs = text.split(/\n{2,}/).map((each) => `<p>${linked(escaped(each), link).replaceAll('\n', '<br>')}</p>`);
    return { subject, text, html: mailPage(paragraphs.join('\n')) };
  }
  return {
    subject,
    text: [`${code} is your verification code${from}.`, lasts, ...(link ? [`Or open this link: ${link}`] : []), care].join('\n\n'),
    html: mailPage(`<p>Your verification code${escaped(from)}:</p>
<p style="font-size:1.75em;letter-spacing:.15em"><strong>${escaped(code)}</strong></p><p>${lasts}</p>
${link ? `<p>Or <a href="${escaped(link)}">verify with this link</a>.</p>` : ''}<p>${care}</p>`),
  };
};

const mailPage = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Verification code</title></head><body>\n${body}\n</body></html>`;

const linked = (html: string, link: string | undefined): string =>
  link === undefined ? html : html.replaceAll(escaped(link), `<a href="${escaped(link)}">${escaped(link)}</a>`);

const pages = {
  verified: { status: 200, title: 'Verified', text: 'You are verified. You can close this page and go back.' },
  already: { status: 200, title: 'Already verified', text: 'This link was used already; you are verified. You can close this page.' },
  neutral: { status: 200, title: 'Verification link', text: 'Open this link in your browser, or press the button, to verify.' },
  confirm: { status: 200, title: 'Verify', text: 'Press the button to verify.' },
  invalid: { status: 410, title: 'Link not valid', text: 'This link is invalid or has expired. Ask for a new one.' },
} as const;
export type PageName = keyof typeof pages;

/** The page as an answer, with the headers of V24. */
export const pageAnswer = (name: PageName, continueAt?: string) => {
  const { status, title, text } = pages[name];
  const button = name === 'confirm' || name === 'neutral' ? '<form method="post"><button type="submit">Verify</button></form>' : '';
  // the person goes on by hand or after three seconds: no script is needed, and what was verified can be read
  const onward = continueAt === undefined ? '' : `<p><a href="${escaped(continueAt)}">Continue</a></p>`;
  const refresh = continueAt === undefined ? '' : `<meta http-equiv="refresh" content="3;url=${escaped(continueAt)}">\n`;
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${refresh}<title>${title}</title>
<style>:root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;padding:3rem 1rem;color:#111;background:#fff}main{max-width:32rem;margin:auto}button{font:inherit;padding:.75rem 1.5rem}@media (prefers-color-scheme:dark){body{color:#eee;background:#111}}</style>
</head>
<body><main><h1>${title}</h1><p role="status">${text}</p>${button}${onward}</main></body>
</html>
`;
  return {
    status,
    body,
    headers: {
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    },
  };
};
