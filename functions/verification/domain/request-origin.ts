import type { StoredRequest } from '../contract/stored.ts';

/** What a code or a link allows, and where it was requested: the sentences of an email and of a link's page. */
export const describeRequest = (
  { purpose, ip, userAgent, isShared, createdAt }: Pick<StoredRequest, 'purpose' | 'ip' | 'userAgent' | 'isShared' | 'createdAt'>,
  profileName: string,
): string[] => [
  `It allows: ${isPlain(purpose) ? `${purpose}, ` : ''}${profileName}.`,
  `Requested at ${timeOf(createdAt)}${ip === undefined ? '' : ` from ${ip}`}${browserText(userAgent)}.`,
  ...(isShared ? ['It was requested from more than one place. If one of them was not you, do not continue.'] : []),
];

/** The caller chooses the purpose: only one word is repeated to the recipient, no sentence and no address. */
const isPlain = (purpose: string): boolean => purpose !== 'default' && /^[a-z][a-z0-9_-]{1,29}$/i.test(purpose);

const timeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const browserText = (userAgent: string | undefined): string => {
  const browser = browsers.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const known = [browser, system].filter((each) => each !== undefined);
  return known.length === 0 ? '' : ` (${known.join(' on ')})`;
};

/** Known names only: the caller writes the user agent. */
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];
