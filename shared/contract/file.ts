import { createHash } from 'node:crypto';
import * as z from 'zod';

/** A file of a form. Its bytes do not enumerate, so that fingerprints and logs see its hash and not the file. */
export class UploadedFile {
  readonly filename: string;
  /** The type that the client names; it is often wrong. */
  readonly contentType: string;
  readonly size: number;
  readonly sha256: string;
  readonly #bytes: Buffer;

  constructor(filename: string, contentType: string, bytes: Buffer) {
    this.filename = filename;
    this.contentType = contentType;
    this.size = bytes.length;
    this.sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#bytes = bytes;
  }

  get bytes(): Buffer {
    return this.#bytes;
  }
}

/** A file field: only a form can carry one. */
export const file = z
  .instanceof(UploadedFile, { error: 'Must be a file (multipart/form-data).' })
  .meta({ override: { type: 'string', format: 'binary' } });
