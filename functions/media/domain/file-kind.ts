import type { MediaKind } from '../contract/stored.ts';

/** The kinds of files that the provider takes, with their MIME types and sizes. https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media */
export interface FileKind {
  kind: MediaKind;
  mime: string;
}

const megabyte = 1024 * 1024;
export const maxBytesOf: Readonly<Record<MediaKind, number>> = {
  image: 5 * megabyte,
  video: 16 * megabyte,
  audio: 16 * megabyte,
  document: 100 * megabyte,
  sticker: megabyte / 2,
};

const office = 'application/vnd.openxmlformats-officedocument';
export const byExtension: Readonly<Record<string, FileKind>> = {
  jpg: { kind: 'image', mime: 'image/jpeg' },
  jpeg: { kind: 'image', mime: 'image/jpeg' },
  png: { kind: 'image', mime: 'image/png' },
  webp: { kind: 'sticker', mime: 'image/webp' },
  mp4: { kind: 'video', mime: 'video/mp4' },
  '3gp': { kind: 'video', mime: 'video/3gpp' },
  '3gpp': { kind: 'video', mime: 'video/3gpp' },
  aac: { kind: 'audio', mime: 'audio/aac' },
  amr: { kind: 'audio', mime: 'audio/amr' },
  mp3: { kind: 'audio', mime: 'audio/mpeg' },
  m4a: { kind: 'audio', mime: 'audio/mp4' },
  ogg: { kind: 'audio', mime: 'audio/ogg' },
  opus: { kind: 'audio', mime: 'audio/ogg' },
  pdf: { kind: 'document', mime: 'application/pdf' },
  txt: { kind: 'document', mime: 'text/plain' },
  doc: { kind: 'document', mime: 'application/msword' },
  xls: { kind: 'document', mime: 'application/vnd.ms-excel' },
  ppt: { kind: 'document', mime: 'application/vnd.ms-powerpoint' },
  docx: { kind: 'document', mime: `${office}.wordprocessingml.document` },
  xlsx: { kind: 'document', mime: `${office}.spreadsheetml.sheet` },
  pptx: { kind: 'document', mime: `${office}.presentationml.presentation` },
};
const aliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'audio/mp3': 'audio/mpeg',
  'audio/x-m4a': 'audio/mp4',
  'audio/m4a': 'audio/mp4',
  'audio/x-aac': 'audio/aac',
  'audio/opus': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  'video/3gp': 'video/3gpp',
  'application/x-pdf': 'application/pdf',
};
const byMime = new Map(Object.values(byExtension).map((kind) => [kind.mime, kind]));

/** The kind by a Content-Type; undefined for types that the provider does not take, and for generic ones. */
export const kindOfMime = (contentType: string | undefined): FileKind | undefined => {
  const mime = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return byMime.get(aliases[mime] ?? mime);
};

/** The kind by the extension of a file name or of a URL's path. */
export const kindOfName = (name: string): FileKind | undefined => {
  const path = URL.canParse(name) ? new URL(name).pathname : name;
  const extension = /\.([a-z0-9]{2,5})$/i.exec(path)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
};

export const sizeError = (kind: MediaKind): string => `A file of kind ${kind} may have at most ${maxBytesOf[kind] / megabyte} MB.`;
