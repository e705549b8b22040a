/** The purpose of a template that serves every purpose without a template of its own. */
export const defaultPurpose = 'default';

/** The template for a channel and purpose: the purpose's own, else the default one. */
export const selectTemplate = <T extends { channel: string; purpose: string }>(
  templates: readonly T[],
  channel: string,
  purpose: string,
): T | undefined => {
  const ofChannel = templates.filter((each) => each.channel === channel);
  return ofChannel.find((each) => each.purpose === purpose) ?? ofChannel.find((each) => each.purpose === defaultPurpose);
};

export interface MailValues {
  code: string;
  link: string | undefined;
  minutes: number;
  name: string;
  /** What the code allows, and where it was requested. */
  about: string;
}

/** `{{code}}`, `{{link}}`, `{{minutes}}`, `{{name}}` and `{{about}}` filled in. Without a link, the lines that contain it are left out. */
export const fillTemplate = (text: string, { code, link, minutes, name, about }: MailValues): string => {
  const lines = text.split('\n').filter((line) => link !== undefined || !line.includes('{{link}}'));
  const values: Record<string, string> = { code, link: link ?? '', minutes: String(minutes), name, about };
  return lines.join('\n').replaceAll(/\{\{(code|link|minutes|name|about)\}\}/g, (_, key: string) => values[key] ?? '');
};
