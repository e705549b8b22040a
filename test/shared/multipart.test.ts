import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UploadedFile } from '../../shared/contract/file.ts';
import { readMultipart } from '../../shared/http/multipart.ts';

const type = 'multipart/form-data; boundary=X';
const form = (...parts: string[]): Buffer => Buffer.from(`${parts.map((part) => `--X\r\n${part}\r\n`).join('')}--X--\r\n`);
const field = (name: string, value: string): string => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`;

/** Names that are ambiguous: the platform writes a quote and ends of lines as %22, %0D and %0A, and a percent sign as it is. */
const unreadable = ['\r', '\n', '\u0000', '\\', '%22', '%0D', '%0A'];

describe('forms that are whole', () => {
  test('whatever the platform writes is read back, bytes and texts alike', async () => {
    const part = fc.tuple(
      fc.string({ minLength: 1, maxLength: 30 }).filter((name) => name.isWellFormed() && !unreadable.some((bad) => name.includes(bad))),
      fc.oneof(
        fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/\r\n|\r|\n/g, '\r\n')),
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const data = new FormData();
        for (const [name, value] of parts)
          if (typeof value === 'string') data.append(name, value);
          else data.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'a "b".png');
        const request = new Request('http://x/', { method: 'POST', body: data });
        const { parts: read } = readMultipart(request.headers.get('content-type') ?? '', Buffer.from(await request.arrayBuffer()));
        expect(read?.map(({ name, value }) => [name, value instanceof UploadedFile ? [...value.bytes] : value])).toEqual(
          parts.map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
        );
        for (const each of read ?? []) if (each.value instanceof UploadedFile) expect(each.value.filename).toBe('a "b".png');
      }),
      { numRuns: 200 },
    );
  });

  test.each([
    ['a preamble', Buffer.concat([Buffer.from('hello\r\n'), form(field('a', '1'))]), type],
    ['blanks after the boundary', Buffer.from(`--X \t\r\n${field('a', '1')}\r\n--X--`), type],
    ['a quoted boundary', form(field('a', '1')), 'multipart/form-data; charset=utf-8; boundary="X"'],
    ['a name without quotes', form('content-disposition: form-data; name=a\r\n\r\n1'), type],
  ])('%s is no harm', (_, body, contentType) => {
    expect(readMultipart(contentType, body)).toEqual({ parts: [{ name: 'a', value: '1' }] });
  });

  test('a path in a file name is cut off, an empty file input is not a file', () => {
    const file = (filename: string, content: string) =>
      `Content-Disposition: form-data; name="f"; filename="${filename}"\r\n\r\n${content}`;
    const [part, ...more] = readMultipart(type, form(file('C:\\\\tmp\\\\x.pdf', 'abc'), file('', ''))).parts ?? [];
    expect(more).toEqual([]);
    expect(part?.value).toMatchObject({ filename: 'x.pdf', size: 3 });
  });
});

describe('forms that are not', () => {
  test.each<[string, string | Buffer, string, RegExp]>([
    ['nothing', '', type, /boundary .* does not occur/],
    ['no boundary in the type', form(field('a', '1')), 'multipart/form-data', /names no boundary/],
    ['another boundary', form(field('a', '1')), 'multipart/form-data; boundary=Y', /boundary .* does not occur/],
    ['cut off', `--X\r\n${field('a', '1')}`, type, /ends within part 1/],
    ['no end of the headers', '--X\r\nContent-Disposition: form-data; name="a"\r\n--X--', type, /Part 1: its headers do not end/],
    ['no name', form('Content-Disposition: form-data\r\n\r\n1'), type, /not form-data/],
    ['an empty name', form(field('', '1')), type, /needs a name/],
    ['not a form field', form('Content-Disposition: attachment; name="a"\r\n\r\n1'), type, /not form-data/],
    [
      'texts that are no UTF-8',
      Buffer.concat([Buffer.from(`--X\r\n${field('a', '')}`), Buffer.from([0xff, 0xfe]), Buffer.from('\r\n--X--')]),
      type,
      /not UTF-8/,
    ],
    [
      'an encoding nobody uses',
      form('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nMQ=='),
      type,
      /Transfer-Encoding/,
    ],
    ['too many parts', form(...Array.from({ length: 1_001 }, (_, index) => field(`a${index}`, '1'))), type, /at most 1000 parts/],
    ['JSON', '{"a":1}', type, /boundary .* does not occur/],
  ])('%s is refused, and told what is wrong', (_, body, contentType, why) => {
    expect(readMultipart(contentType, Buffer.from(body)).wrong).toMatch(why);
  });
});
