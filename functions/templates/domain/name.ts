/** Names and languages of templates, as keys and as the provider writes them. */

/** `en_US`: webhooks, and people, also write `en-US`. */
export const normalizeLanguage = (language: string): string => language.replaceAll('-', '_');

/** What finds a template among others: a name is unique in a language. */
export const templateKey = ({ name, language }: { name: string; language: string }): string => `${name}#${normalizeLanguage(language)}`;
