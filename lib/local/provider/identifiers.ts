/** Identifiers in the provider's own forms. */
import { createHash, randomBytes, randomInt } from 'node:crypto';

/**
 * A message id: `wamid.` + base64 of a small binary record which holds the customer's phone in clear, as every recorded id does.
 * Ids of messages from a business and from a customer differ in one byte and in the length of the random part.
 */
export function messageId(user: string, direction: 'outbound' | 'inbound'): string {
  const outbound = direction === 'outbound';
  const random = randomBytes(outbound ? 9 : 10)
    .toString('hex')
    .toUpperCase();
  const record = Buffer.allocUnsafe(3 + user.length + 6 + random.length + 1);
  record.set([0x1c, 0x18, user.length], 0);
  record.write(user, 3, 'latin1');
  record.set([0x15, 0x02, 0x00, outbound ? 0x11 : 0x12, 0x18, random.length], 3 + user.length);
  record.write(random, 9 + user.length, 'latin1');
  record[record.length - 1] = 0;
  return `wamid.${record.toString('base64')}`;
}

/** Whether it can be the id of a message from a customer: not of one that the simulator made for a business. */
export function isInboundId(wamid: string): boolean {
  if (!wamid.startsWith('wamid.')) return false;
  const record = Buffer.from(wamid.slice('wamid.'.length), 'base64');
  const length = record[2] ?? 0;
  return record[0] !== 0x1c || record[6 + length] !== 0x11;
}

/** Fifteen or sixteen digits, below 2^53: webhooks carry template ids as JSON numbers. */
export function objectId(): string {
  return `${randomInt(1, 8)}${String(randomInt(0, 10 ** 7)).padStart(7, '0')}${String(randomInt(0, 10 ** 8)).padStart(8, '0')}`;
}

/** The business-scoped id of a customer: always the same one for the same phone and portfolio. */
export function scopedUserId(portfolioId: string, phone: string): string {
  const digest = createHash('sha256').update(`${portfolioId}:${phone}`).digest();
  return `US.${digest.readBigUInt64BE(0).toString().padStart(20, '0')}`;
}

/** A conversation lasts a day and belongs to a pair and a category; its id follows from them. */
export function conversationId(phoneNumberId: string, user: string, category: string, at: number): string {
  return createHash('md5')
    .update(`${phoneNumberId}:${user}:${category}:${Math.floor(at / 86_400_000)}`)
    .digest('hex');
}

/** Digits of a phone as the provider reads it: plus, spaces, dashes, dots and brackets are allowed. Undefined when it is none. */
export function phoneDigits(input: string): string | undefined {
  const digits = input.replace(/[+\s().-]/g, '');
  return /^\d{7,15}$/.test(digits) ? digits : undefined;
}
