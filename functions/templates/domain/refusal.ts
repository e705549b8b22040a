import { classifyProviderError, providerErrorEntry } from '../../../shared/provider/errors.ts';

/** A rejection by the provider's template API, with a title and a fix for the caller. */
export interface TemplateRefusal {
  code: number;
  /** The detail of code 100, where there is one. */
  subcode: number | undefined;
  title: string;
  details: string | undefined;
  fix: string;
  retryable: boolean;
  /** A component's type or a field of the template that the rejection names. */
  about: string | undefined;
}

interface Subcode {
  title: string;
  fix: string;
  about?: string;
}

/** Rejections of templates come as code 100 with one of these subcodes. */
const subcodes: Readonly<Record<number, Subcode>> = {
  2388019: { title: 'Too many templates', fix: 'Delete templates of the account that are no longer used.' },
  2388023: { title: 'The name is being deleted', fix: 'Choose another name; a deleted one stays blocked for 30 days.', about: 'name' },
  2388024: { title: 'Name and language exist', fix: 'Choose another name, or delete the template first.', about: 'name' },
  2388040: { title: 'A text is too long', fix: 'Shorten the text that details names.' },
  2388043: { title: 'Something is missing in a component', fix: 'Add what details names.' },
  2388047: { title: 'Header format', fix: 'Correct the header as details says.', about: 'HEADER' },
  2388060: { title: 'Button format', fix: 'Correct the buttons as details says.', about: 'BUTTONS' },
  2388072: { title: 'Body format', fix: 'Correct the body as details says.', about: 'BODY' },
  2388073: { title: 'Footer format', fix: 'Correct the footer as details says.', about: 'FOOTER' },
  2388293: { title: 'Too many variables for the length', fix: 'Write more text, or use fewer variables.', about: 'BODY' },
  2388299: { title: 'Variable at the beginning or end', fix: 'Put text before and after the variables.', about: 'BODY' },
};

/** The provider already has a template of this name and language. */
export const isDuplicateTemplate = ({ subcode }: TemplateRefusal): boolean => subcode === 2388024;

/** The object does not exist, or the token may not see it: the provider answers both the same. */
export const isTemplateMissing = ({ code, subcode }: TemplateRefusal): boolean => code === 803 || (code === 100 && subcode === 33);

/** The rejection in an error body; undefined when there is none. Only code and subcode count, because texts are localised. */
export const parseTemplateRefusal = (body: unknown): TemplateRefusal | undefined => {
  const error = classifyProviderError(body);
  if (!error) return undefined;
  const subcode = subcodeOf(body);
  const entry = providerErrorEntry(error.code);
  const known = subcode === undefined ? undefined : subcodes[subcode];
  const own = error.code === 803 ? { title: 'Template not found', fix: 'Sync the templates.' } : known;
  return {
    code: error.code,
    subcode,
    title: own?.title ?? error.title,
    details: error.details,
    fix: own?.fix ?? entry.fix,
    retryable: entry.retryable,
    about: known?.about,
  };
};

/** Seconds to wait when the provider throttles or is unavailable; undefined when the rejection is final. */
export const retryAfterSeconds = (refusal: TemplateRefusal): number | undefined => {
  const entry = providerErrorEntry(refusal.code);
  return entry.class === 'throttle' || entry.class === 'transient' ? Math.max(1, entry.waitSeconds) : undefined;
};

function subcodeOf(body: unknown): number | undefined {
  const subcode = Number((body as { error?: { error_subcode?: unknown } } | undefined)?.error?.error_subcode);
  return Number.isInteger(subcode) && subcode > 0 ? subcode : undefined;
}
