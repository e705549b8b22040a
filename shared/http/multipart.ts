import { UploadedFile } from '../contract/file.ts';

/**
 * multipart/form-data (RFC 7578) from bytes. Our own, because the body is in memory already and may not exceed 6 MB: what a reader of
 * streams brings is not needed, and the platform's own (`Response.formData`) refuses boundaries shorter than 27 characters.
 */

export interface FormPart {
  name: string;
  value: string | UploadedFile;
}

const maxParts = 1_000;
const maxHeaderBytes = 8_192;
const maxNameLength = 256;

/** The reader of forms, which only functions contain whose routes take them. */
export type ReadMultipart = typeof readMultipart;

/** The parts in their order; or what is wrong, in words for the sender. */
export const readMultipart = (
  contentType: string,
  body: Buffer,
): { parts: FormPart[]; wrong?: never } | { parts?: never; wrong: string } => {
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return { wrong: 'The Content-Type names no boundary.' };
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  // the first delimiter may begin the body; what stands before it belongs to no part
  const framed = Buffer.concat([Buffer.from('\r\n'), body]);
  const parts: FormPart[] = [];
  let at = framed.indexOf(delimiter);
  if (at < 0) return { wrong: 'The boundary of the Content-Type does not occur in the body.' };
  for (;;) {
    let start = at + delimiter.length;
    if (framed.subarray(start, start + 2).equals(Buffer.from('--'))) return { parts };
    while (framed[start] === 0x20 || framed[start] === 0x09) start++;
    const next = framed[start] === 0x0d && framed[start + 1] === 0x0a ? framed.indexOf(delimiter, start) : -1;
    if (next < 0) return { wrong: `The body ends within part ${parts.length + 1}.` };
    if (parts.length >= maxParts) return { wrong: `A form may have at most ${maxParts} parts.` };
    const part = readPart(framed.subarray(start + 2, next));
    if (typeof part === 'string') return { wrong: `Part ${parts.length + 1}: ${part}` };
    // a file input left empty arrives as a nameless file of no bytes
    if (!(part.value instanceof UploadedFile && part.value.filename === '' && part.value.size === 0)) parts.push(part);
    at = next;
  }
};

function boundaryOf(contentType: string): string | undefined {
  const found = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;,"]{1,70}))\s*(?:;.*)?$/i.exec(contentType);
  return found?.[1] ?? found?.[2];
}

function readPart(bytes: Buffer): FormPart | string {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0 || end > maxHeaderBytes) return `its headers do not end within ${maxHeaderBytes} bytes.`;
  const headers = utf8(bytes.subarray(0, end));
  if (headers === undefined) return notUtf8;
  const content = bytes.subarray(end + 4);
  const lines = headers.split('\r\n');
  const valueOf = (header: string): string | undefined =>
    lines
      .find((line) => line.toLowerCase().startsWith(`${header}:`))
      ?.slice(header.length + 1)
      .trim();
  const disposition = valueOf('content-disposition');
  if (disposition === undefined || !/^form-data\s*;/i.test(disposition)) return 'its Content-Disposition is not form-data.';
  const name = parameterOf(disposition, 'name');
  if (name === undefined || name === '' || name.length > maxNameLength || name.includes('\u0000'))
    return `it needs a name of 1 to ${maxNameLength} characters.`;
  if (/^(base64|quoted-printable)$/i.test(valueOf('content-transfer-encoding') ?? ''))
    return 'its Content-Transfer-Encoding is not read; send the bytes as they are.';
  const filename = parameterOf(disposition, 'filename');
  if (filename !== undefined)
    return {
      name,
      value: new UploadedFile(baseName(filename), valueOf('content-type') ?? 'application/octet-stream', Buffer.from(content)),
    };
  const text = utf8(content);
  return text === undefined ? notUtf8 : { name, value: text };
}

const notUtf8 = 'it is not UTF-8.';

/** Browsers write a quote in a name as %22, others as \". */
function parameterOf(disposition: string, parameter: string): string | undefined {
  const found = new RegExp(`;\\s*${parameter}=(?:"((?:\\\\.|[^"\\\\])*)"|([^\\s;"]+))`, 'i').exec(disposition);
  if (!found) return undefined;
  return found[1] === undefined
    ? found[2]
    : found[1]
        .replace(/\\(["\\])/g, '$1')
        .replaceAll('%22', '"')
        .replaceAll('%0D', '\r')
        .replaceAll('%0A', '\n');
}

const baseName = (path: string): string => path.split(/[\\/]/).at(-1) ?? '';

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
