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

/** A small picture of a field below the sun: whole, so that a page shows it. Bytes behind its end are ignored. */
const picture = Buffer.from(
  [
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/',
    '2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCABAAGADASIAAhEBAxEB/8QA',
    'GQABAAMBAQAAAAAAAAAAAAAAAAIDBgEE/8QAHRABAQEAAwEAAwAAAAAAAAAAABESAQIhAzFBUf/EABcBAQEBAQAAAAAAAAAAAAAAAAADAgT/xAAbEQEBAQAC',
    'AwAAAAAAAAAAAAAAERIBAhMUIf/aAAwDAQACEQMRAD8A0sIlCKVGIwiUIUiMIlCFIjCJQhSIwijv357c/nw6d+evPHvjj9zrqT4v4OZV8IlCOyoRKEdhGK1H',
    'IR2EKRyEdhCkchHYQpHj+nz56dufPP6fP589+3Hnn75eyEcnq9dW/F/NzI5COwjrqEShGd0aR2ztooRndGjZtooRndGjZtooRndGjZtooRndGjZtooRndGjZ',
    'tTo0o0aZYX6NKNGgX6NKNGgX6NKNGgX6NKNGgX6NKNGgf//Z',
  ].join(''),
  'base64',
);

const beginnings: [RegExp, Buffer][] = [
  [/^image\/jpeg/, picture],
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
