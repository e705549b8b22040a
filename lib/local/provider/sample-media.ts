/** Small files that begin as their kind does, for media which a customer "sends" without giving the bytes. */
import { randomBytes } from 'node:crypto';

export const defaultTypes: Record<string, string> = {
  image: 'image/jpeg',
  video: 'video/mp4',
  audio: 'audio/mpeg',
  voice: 'audio/ogg; codecs=opus',
  document: 'application/pdf',
  sticker: 'image/webp',
};

/** A transparent pixel: whole and readable. */
const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64');

const beginnings: [RegExp, Buffer][] = [
  [/^image\/jpeg/, Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')],
  [/^image\/webp/, Buffer.from('RIFF\u0040\0\0\0WEBPVP8 ', 'latin1')],
  [/^video\/(mp4|3gpp)|^audio\/mp4/, Buffer.from('\0\0\0\u0018ftypisom\0\0\u0002\0isommp42', 'latin1')],
  [/^audio\/ogg/, Buffer.from('OggS\0\u0002', 'latin1')],
  [/^audio\/mpeg/, Buffer.from('ID3\u0003\0\0\0\0\0\0', 'latin1')],
  [/^audio\/amr/, Buffer.from('#!AMR\n')],
  [/^application\/pdf/, Buffer.from('%PDF-1.4\n% sample\n')],
];

/** Every call gives other bytes, as every photo differs; a PNG is always the same pixel. */
export function sampleBytes(mimeType: string): Buffer {
  if (mimeType.startsWith('image/png')) return pixel;
  const beginning = beginnings.find(([pattern]) => pattern.test(mimeType))?.[1] ?? Buffer.from('sample ');
  return Buffer.concat([beginning, randomBytes(48)]);
}
