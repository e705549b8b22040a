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
const byExtension: Readonly<Record<string, FileKind>> = {
  jpg: { kind: 'image', mime: 'image/jpeg' },
  jpeg: { kind: 'image', mime: 'image/jpeg' },
  png: { kind: 'image', mime: 'image/png' },
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

export const acceptedKinds = 'jpeg, png, mp4, 3gp, aac, amr, mp3, m4a, ogg, pdf, txt and office documents';

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

/** The kind of a file: by its first bytes, otherwise by its declared type, otherwise by its name. */
export const kindOfFile = (firstBytes: Buffer, contentType: string | undefined, name: string): FileKind | undefined => {
  const detected = kindOfBytes(firstBytes);
  if (detected === 'container') {
    const named = kindOfName(name) ?? kindOfMime(contentType);
    return named?.kind === 'document' ? named : undefined;
  }
  return detected ?? kindOfMime(contentType) ?? kindOfName(name);
};

/** `container`: a zip or OLE file, whose kind only its name gives. */
function kindOfBytes(bytes: Buffer): FileKind | 'container' | undefined {
  const starts = (hex: string, at = 0): boolean => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex;
  const kindOf = (extension: string): FileKind | undefined => byExtension[extension];
  if (starts('ffd8ff')) return kindOf('jpg');
  if (starts('89504e470d0a1a0a')) return kindOf('png');
  if (starts('25504446')) return kindOf('pdf');
  if (starts('4f676753')) return kindOf('ogg');
  if (starts('2321414d52')) return kindOf('amr');
  if (starts('494433') || starts('fffb') || starts('fff3') || starts('fff2')) return kindOf('mp3');
  if (starts('fff1') || starts('fff9')) return kindOf('aac');
  if (starts('66747970', 4)) {
    const brand = bytes.subarray(8, 12).toString('latin1');
    return kindOf(brand.startsWith('3g') ? '3gp' : brand.startsWith('M4A') ? 'm4a' : 'mp4');
  }
  return starts('504b0304') || starts('d0cf11e0') ? 'container' : undefined;
}

/** The file name at the end of a URL: documents are shown with it. */
export const nameInUrl = (url: string): string | undefined => {
  if (!URL.canParse(url)) return undefined;
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last).slice(0, 240) || undefined;
  } catch {
    return last.slice(0, 240) || undefined;
  }
};

export const sizeError = (kind: MediaKind): string => `A file of kind ${kind} may have at most ${maxBytesOf[kind] / megabyte} MB.`;
