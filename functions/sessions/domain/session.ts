import { dayMs, minuteMs } from '../../../shared/runtime/clock.ts';

/** What a browser calls itself, in few words: enough to recognize a device by, too little to follow it. */
export const deviceOf = (userAgent: string): string => {
  const browser = browsers.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'A browser';
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
};

/** The first that fits: many browsers name others as well. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|Chromium)\//],
  ['Safari', /\bSafari\//],
];
const systems: readonly (readonly [string, RegExp])[] = [
  ['Android', /\bAndroid\b/],
  ['iOS', /\b(iPhone|iPad|iOS)\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
];

/** How long a browser in which a user was signed in is known, and of how many users at once. */
export const knownBrowserLifeMs = 180 * dayMs;
export const maxKnownUsers = 10;

/**
 * How long a sign-in that a browser began may be finished by calls of its own, and how many: the code or the passkey, and a second try or the
 * choice of a company. The call that began it was counted.
 */
export const begunLifeMs = 10 * minuteMs;
export const callsAfterBegun = 2;

/** How long a proven email address waits for the choice of a company. */
export const choiceLifeMs = 10 * minuteMs;
