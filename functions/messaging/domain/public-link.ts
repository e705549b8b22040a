import { type Refusal, refusalOf } from '../../../shared/runtime/fetch.ts';

/**
 * Why the provider must not be sent to a URL. http is allowed, which is never fetched from here; both must lead to the public internet.
 * See docs/decisions/media-links-over-http.md.
 */
export const linkRefusal = (url: string): Refusal | undefined =>
  refusalOf(url) === 'not_https' ? refusalOf(url.replace(/^http:/i, 'https:')) : refusalOf(url);

export const isPublicLink = (url: string): boolean => linkRefusal(url) === undefined;
