import type { Settings } from './settings.ts';

const alphabets = { numeric: '0123456789', alphanumeric: 'ABCDEFGHJKMNPQRSTUVWXYZ23456789' } as const;

/** A code of the profile's length and type; `random` gives a whole number below its argument, from a CSPRNG. */
export const newCode = ({ length, type }: Settings['otp'], random: (below: number) => number): string =>
  Array.from({ length }, () => alphabets[type][random(alphabets[type].length)]).join('');

/** As people type codes: blanks around and between, dashes, small letters (V17). */
export const normalCode = (given: string): string => given.trim().toUpperCase().replaceAll(/[\s-]/g, '');

/** Seconds before a resend after `sends` messages: 30, 60, 120, 300 by default (V22), scaled to the profile's own cooldown. */
export const cooldownSeconds = ({ resend_cooldown_seconds: base }: Settings['otp'], sends: number): number =>
  base * ([1, 2, 4][Math.max(0, sends - 1)] ?? 10);
