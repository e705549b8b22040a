/** Names and languages of templates, as keys and as the provider writes them. */

/** `en_US`. Webhooks and API callers also write `en-US`. */
export const normalizeLanguage = (language: string): string => language.replaceAll('-', '_');

/** The key of a template: a name is unique within a language. */
export const templateKey = ({ name, language }: { name: string; language: string }): string => `${name}#${normalizeLanguage(language)}`;
