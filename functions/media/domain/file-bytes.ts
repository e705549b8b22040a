import { byExtension, type FileKind, kindOfMime, kindOfName } from './file-kind.ts';

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
  if (starts('52494646') && starts('57454250', 8)) return kindOf('webp');
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
