/** The purpose of a template that serves every purpose without one of its own. */
export const defaultPurpose = 'default';

/** The template for a channel and purpose (decision V2): the purpose's own, else the one for all. */
export const selectTemplate = <T extends { channel: string; purpose: string }>(
  templates: readonly T[],
  channel: string,
  purpose: string,
): T | undefined => {
  const fitting = templates.filter((each) => each.channel === channel);
  return fitting.find((each) => each.purpose === purpose) ?? fitting.find((each) => each.purpose === defaultPurpose);
};

export interface MailValues {
  code: string;
  link: string | undefined;
  minutes: number;
  name: string;
}

/** `{{code}}`, `{{link}}`, `{{minutes}}` and `{{name}}` filled in; where there is no link, the lines that speak of it are left out. */
export const fillTemplate = (text: string, { code, link, minutes, name }: MailValues): string => {
  const lines = text.split('\n').filter((line) => link !== undefined || !line.includes('{{link}}'));
  const values: Record<string, string> = { code, link: link ?? '', minutes: String(minutes), name };
  return lines.join('\n').replaceAll(/\{\{(code|link|minutes|name)\}\}/g, (_, key: string) => values[key] ?? '');
};
