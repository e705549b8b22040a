import { escapeHtml } from '../../../shared/runtime/html.ts';
import { fillTemplate, type MailValues } from './code-template.ts';

/** The email of a code: by the profile's template where it has one, else the default text. No script, no image, no foreign address. */
export const codeEmail = (
  values: MailValues,
  template?: { subject?: string | undefined; body?: string | undefined },
): { subject: string; text: string; html: string } => {
  const { code, link, minutes, name, about } = values;
  const subject = template?.subject === undefined ? `${code} is your verification code` : fillTemplate(template.subject, values);
  if (template?.body !== undefined) {
    // a link is never sent without a word on what it allows
    const body = link === undefined || template.body.includes('{{about}}') ? template.body : `${template.body}\n\n{{about}}`;
    const text = fillTemplate(body, values);
    const paragraphs = text.split(/\n{2,}/).map((each) => `<p>${withLink(escapeHtml(each), link).replaceAll('\n', '<br>')}</p>`);
    return { subject, text, html: htmlPage(paragraphs.join('\n')) };
  }
  const validity = `It is valid for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  const warning = 'If you did not request it, ignore this email and share the code with no one.';
  const purpose = name === '' ? '' : ` for ${name}`;
  return {
    subject,
    text: [`${code} is your verification code${purpose}.`, validity, ...(link ? [`Or open this link: ${link}`] : []), about, warning].join(
      '\n\n',
    ),
    html: htmlPage(`<p>Your verification code${escapeHtml(purpose)}:</p>
<p style="font-size:1.75em;letter-spacing:.15em"><strong>${escapeHtml(code)}</strong></p><p>${validity}</p>
${link ? `<p>Or <a href="${escapeHtml(link)}">verify with this link</a>.</p>` : ''}<p>${escapeHtml(about)}</p><p>${warning}</p>`),
  };
};

const htmlPage = (body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Verification code</title></head><body>\n${body}\n</body></html>`;

const withLink = (html: string, link: string | undefined): string =>
  link === undefined ? html : html.replaceAll(escapeHtml(link), `<a href="${escapeHtml(link)}">${escapeHtml(link)}</a>`);
