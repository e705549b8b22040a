import { crc32, deflateRawSync } from 'node:zlib';

/** How a workbook is written: programs differ in it. */
export interface WorkbookForm {
  /** Texts in the cells, in place of one list of texts for all. */
  isInline?: boolean;
  /** Parts without compression. */
  isStored?: boolean;
  /** Numbers with all 17 digits, as binary fractions are written. */
  isLong?: boolean;
}

type Cell = string | number | undefined;

/** An XLSX file of one sheet, made here, so that no file of the provider is in the repository. */
export const workbookOf = (
  rows: readonly (readonly Cell[])[],
  { isInline = false, isStored = false, isLong = false }: WorkbookForm = {},
): Buffer => {
  const texts: string[] = [];
  const cellOf = (value: Cell, reference: string): string => {
    if (value === undefined) return '';
    if (typeof value === 'number') return `<c r="${reference}" s="3"><v>${isLong ? value.toPrecision(17) : value}</v></c>`;
    if (isInline) return `<c r="${reference}" t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`;
    if (!texts.includes(value)) texts.push(value);
    return `<c r="${reference}" t="s"><v>${texts.indexOf(value)}</v></c>`;
  };
  const sheet = rows
    .map((row, y) => `<row r="${y + 1}">${row.map((value, x) => cellOf(value, `${letters(x)}${y + 1}`)).join('')}</row>`)
    .join('');
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const shared = texts.map((text) => `<si>${runsOf(text)}</si>`).join('');
  return zipOf(
    {
      '[Content_Types].xml': '<Types/>',
      'xl/workbook.xml': `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="r"><sheets><sheet name="Rates &amp; tiers" sheetId="1" r:id="rId2"/><sheet name="Notes" sheetId="2" r:id="rId1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Type="worksheet" Target="worksheets/notes.xml"/><Relationship Id="rId2" Type="worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${sheet}</sheetData></worksheet>`,
      'xl/worksheets/notes.xml': `<worksheet xmlns="${main}"><sheetData/></worksheet>`,
      ...(isInline ? {} : { 'xl/sharedStrings.xml': `<sst xmlns="${main}" count="${texts.length}">${shared}</sst>` }),
    },
    isStored,
  );
};

/** A longer text in two runs, the second with a style and a hint for its pronunciation. */
const runsOf = (text: string): string =>
  text.length < 12
    ? `<t>${escaped(text)}</t>`
    : `<r><t xml:space="preserve">${escaped(text.slice(0, 6))}</t></r><r><rPr><b/></rPr><t xml:space="preserve">${escaped(text.slice(6))}</t></r><rPh sb="0" eb="1"><t>hint</t></rPh>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const letters = (column: number): string =>
  column < 26 ? String.fromCharCode(65 + column) : `${letters(Math.floor(column / 26) - 1)}${letters(column % 26)}`;

function zipOf(parts: Readonly<Record<string, string>>, isStored: boolean): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const content = Buffer.from(text);
    const data = isStored ? content : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isStored ? 0 : 8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, rest, Buffer.from(name)]));
    files.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, entries, Buffer.from('PK\u0005\u0006', 'latin1'), end]);
}
