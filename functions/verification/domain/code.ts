import type { Settings } from './settings.ts';

const alphabets = { numeric: '0123456789', alphanumeric: 'ABCDEFGHJKMNPQRSTUVWXYZ23456789' } as const;

/** A code of the profile's length and type; `random` returns a whole number below its argument, from a CSPRNG. */
export const newCode = ({ length, type }: Settings['otp'], random: (below: number) => number): string =>
  Array.from({ length }, () => alphabets[type][random(alphabets[type].length)]).join('');

/** How many codes there are. */
export const codeSpace = ({ length, type }: Pick<Settings['otp'], 'length' | 'type'>): number => alphabets[type].length ** length;

/** A code as customers type it, normalized: without spaces and dashes, in capitals. */
export const normalCode = (given: string): string => given.trim().toUpperCase().replaceAll(/[\s-]/g, '');

/** Seconds before a resend after `sends` messages: 30, 60, 120, then 300 by default, scaled to the profile's own cooldown. */
export const cooldownSeconds = ({ resend_cooldown_seconds: base }: Settings['otp'], sends: number): number =>
  base * ([1, 2, 4][Math.max(0, sends - 1)] ?? 10);

/** When a request may be sent again, epoch milliseconds: after its last message's cooldown; a silent request at once. */
export const resendTime = (otp: Settings['otp'], { sends, lastSendAt }: { sends: number; lastSendAt: number }): number =>
  sends === 0 ? 0 : lastSendAt + cooldownSeconds(otp, sends) * 1_000;
