import { SESv2Client } from '@aws-sdk/client-sesv2';
import { runInThisContext } from 'node:vm';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import parsePhoneNumber, { type CountryCode, getCountries, getExampleNumber, type MetadataJson } from 'libphonenumber-js/core';
import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import * as library from 'libphonenumber-js/min';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { buildApp } from '../../lib/aws/synth.ts';
import { bundle, phoneNumbersWithoutFormats, withNodeCrypto, withoutFormats } from '../../lib/bundle.ts';
import { lateExportsOf } from '../../lib/late-schemas.ts';
import { parse } from '../../lib/syntax.ts';
import { withoutDocumentation } from '../../lib/without-documentation.ts';
import { fixture } from './fixture/contexts.ts';
import { NodeHttpHandler, SignatureV4 } from '../../lib/aws/own-transport.ts';
import { withTimeouts } from '../../shared/runtime/aws-client.ts';

const temporary = (): string => mkdtempSync(join(tmpdir(), 'switchboard-bundles-'));

describe('bundles', () => {
  test('the same sources give the same assembly, wherever it is written', async () => {
    const [one, two] = [temporary(), join(temporary(), 'deeper', 'down')];
    for (const outDir of [one, two]) (await buildApp(fixture, { outDir, validate: false })).synth();
    const files = readdirSync(one, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(json|mjs|map)$/.test(name));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) expect(readFileSync(join(two, file), 'utf8') === readFileSync(join(one, file), 'utf8'), file).toBe(true);
  });

  test('no bundle tells where it was made', async () => {
    const outDir = temporary();
    const { folderOf } = await bundle(fixture, outDir);
    const files = fixture
      .flatMap((context) => context.functions)
      .flatMap(({ name }) => ['main.mjs', 'main.mjs.map'].map((file) => join(folderOf(name), file)));
    for (const file of files) expect(readFileSync(file, 'utf8').includes(process.cwd()), file).toBe(false);
  });
});

describe('sources without documentation', () => {
  test.each([
    ["z.string().meta({ description: 'A (b)' }).optional()", 'z.string().optional()'],
    ['z.object({ a: (b ?? c).meta({ id: "x" }), d })', 'z.object({ a: (b ?? c), d })'],
    ['route({ method: m, summary: `a ${b}`, documents: { schema: z.looseObject({}) }, path: p })', 'route({ method: m,   path: p })'],
    ["pattern({ question: 'what', units: '1' }, async () => 1)", 'pattern({   }, async () => 1)'],
    ['z.object({ description: z.string(), summary: s })', 'z.object({ description: z.string(), summary: s })'],
    ['import.meta.dirname', 'import.meta.dirname'],
    ["const part = { effect: 'read', answers: { 200: a } } as const;", "const part = { effect: 'read', } as const;"],
    ["const other = { effects: 'read', answers: b };", "const other = { effects: 'read', answers: b };"],
    ["platformRoute('shop', { summary: 's', documents: c, errors })", "platformRoute('shop', { errors })"],
    ["z.array(z.string().describe('A (b)')).describe(`c`)", 'z.array(z.string())'],
    ['route({ answers: { 200: z.object({ a: z.int().meta({ id: "x" }) }) }, path: p })', 'route({  path: p })'],
    [
      'route({ path: p, body: z.object({ a }).meta({ id: "x" }), query: paging, effect: "read" })',
      'route({ path: p, get body() { const built$ = z.object({ a }); Object.defineProperty(this, \'body\', { value: built$ }); return built$; }, query: paging, effect: "read" })',
    ],
    [
      'export const a = z.object({}).describe("x"), b = other(); const c = entity({ name });',
      'export const a = z.object({}), b = other(); const c = /* @__PURE__ */ (() => entity({ name }))();',
    ],
    ['const work = () => { const a = z.int(); return a; };', 'const work = () => { const a = z.int(); return a; };'],
  ])('%s', (source, expected) => {
    expect(withoutDocumentation(source).replaceAll(/\s+/g, ' ')).toBe(expected.replaceAll(/\s+/g, ' '));
  });
});

describe('schemas with a name', () => {
  const isLateIn = (specifier: string, name: string): boolean => specifier === './other.ts' && name === 'other';
  test.each([
    ['export const a: z.ZodType = z.int(); use(a);', 'var a$; export function a() { return a$ ??= z.int(); } use(a());'],
    ['const a = { b: z.int() } as const;', 'var a$; function a() { return a$ ??= { b: z.int() } as const; }'],
    [
      "import { other as o } from './other.ts'; use(o, { o, p: o, o: 1 }, x.o, x[o]);",
      "import { other as o } from './other.ts'; use(o(), { o: o(), p: o(), o: 1 }, x.o, x[o()]);",
    ],
    ["import { other } from './third.ts'; use(other);", "import { other } from './third.ts'; use(other);"],
    [
      "import { other } from './other.ts'; const a = other.extend({});",
      "import { other } from './other.ts'; var a$; function a() { return a$ ??= other().extend({}); }",
    ],
    [
      "import { other } from './other.ts'; type A = z.output<typeof other>;",
      "import { other } from './other.ts'; type A = z.output<typeof other>;",
    ],
    [
      "import { other } from './other.ts'; const f = (other: A, b = other) => other;",
      "import { other } from './other.ts'; const f = (other: A, b = other) => other;",
    ],
    [
      "import { other } from './other.ts'; const f = ({ a: { other } }, [b = other]) => { return other; };",
      "import { other } from './other.ts'; const f = ({ a: { other } }, [b = other]) => { return other; };",
    ],
    [
      "import { other } from './other.ts'; const f = ({ a = other }) => { if (a) { const other = 1; use(other); } return other; };",
      "import { other } from './other.ts'; const f = ({ a = other() }) => { if (a) { const other = 1; use(other); } return other(); };",
    ],
    [
      "import { other } from './other.ts'; for (const other of list) use(other); try {} catch (other) { use(other); } use(other as B);",
      "import { other } from './other.ts'; for (const other of list) use(other); try {} catch (other) { use(other); } use(other() as B);",
    ],
    [
      "import { other } from './other.ts'; route({ body: other, query: other.optional() });",
      "import { other } from './other.ts'; route({ get body() { return other(); }, get query() { const built$ = other().optional(); Object.defineProperty(this, 'query', { value: built$ }); return built$; } });",
    ],
    [
      "import { other } from './other.ts'; event({ other, detail: other.meta({ id: 'x' }) });",
      "import { other } from './other.ts'; event({ other: other(), get detail() { const built$ = other(); Object.defineProperty(this, 'detail', { value: built$ }); return built$; } });",
    ],
    [
      'const routes = { a: route({ params: z.object({}) }) };',
      "const routes = { a: route({ get params() { const built$ = z.object({}); Object.defineProperty(this, 'params', { value: built$ }); return built$; } }) };",
    ],
    [
      'const a = z.int(); export const b = { a, c: 1 }; const d = { ...b }; const e = { c: 1 }; use(b, d, e);',
      'var a$; function a() { return a$ ??= z.int(); } var b$; export function b() { return b$ ??= { a: a(), c: 1 }; } ' +
        'var d$; function d() { return d$ ??= { ...b() }; } const e = { c: 1 }; use(b(), d(), e);',
    ],
    ['const parse = (raw) => z.int().parse(raw);', 'const parse = (raw) => z.int().parse(raw);'],
  ])('%s', (source, expected) => {
    expect(withoutDocumentation(source, isLateIn).replaceAll(/\s+/g, ' ')).toBe(expected.replaceAll(/\s+/g, ' '));
  });

  test('are known to the modules that import them, also by another name and through a third module', () => {
    const program = parse(
      "import { a } from './a.ts'; export { a as b }; export { c } from './c.ts'; export * from './d.ts'; export const e = z.int();",
    );
    const { own, passedOn, all } = lateExportsOf(program);
    expect({ own: [...own], passedOn: [...passedOn], all }).toEqual({
      own: ['e'],
      passedOn: [
        ['b', { specifier: './a.ts', name: 'a' }],
        ['c', { specifier: './c.ts', name: 'c' }],
      ],
      all: ['./d.ts'],
    });
  });
});

test('a schema that stands in a route, an event or an entity is built with its first use, and once', () => {
  const source = "let built = 0; const value = () => ({ nth: ++built }); const given = route({ path: 'p', body: value() });";
  const run = runInThisContext(
    `(route) => { ${withoutDocumentation(source)} return [built, given.body, given.body, built, Object.keys(given)]; }`,
  ) as (route: (spec: unknown) => unknown) => unknown[];
  expect(run((spec) => spec)).toEqual([0, { nth: 1 }, { nth: 1 }, 1, ['path', 'body']]);
});

test.each(['md5/Md5Node', 'sha256/Sha256Node'])("the SDK's %s does not probe for Node's crypto", (name) => {
  const folder = join(import.meta.dirname, '../../node_modules/@smithy/core/dist-es/submodules/checksum');
  const source = withNodeCrypto(readFileSync(join(folder, `${name}.js`), 'utf8'));
  expect(source).toMatch(/^export const (Md5|Sha256)Node = buildNativeClass\(\);$/m);
  expect(source).not.toContain('hasNativeCrypto');
});

const metadata = createRequire(import.meta.url)('libphonenumber-js/metadata.min.json') as MetadataJson;

describe('phone data without formats', () => {
  const whole = metadata;
  const stripped = withoutFormats(whole as unknown as Parameters<typeof withoutFormats>[0]) as unknown as MetadataJson;
  const read = (input: string, data: MetadataJson) => {
    const parsed = parsePhoneNumber(input, data);
    return [parsed?.number, parsed?.country, parsed?.isPossible(), parsed?.isValid(), parsed?.getPossibleCountries()];
  };

  test('is less than half', () => {
    expect(JSON.stringify(stripped).length).toBeLessThan(JSON.stringify(whole).length / 2);
  });

  test.each(getCountries(whole))('reads numbers of %s as the whole data does', (country: CountryCode) => {
    const example = getExampleNumber(country, examples, whole);
    const digits = example?.number.slice(1) ?? '';
    const callingCode = String(example?.countryCallingCode);
    const national = String(example?.nationalNumber);
    for (const given of [digits, `${callingCode}0${national}`, digits.slice(0, -1), `${digits}1`, `${callingCode}1${national}`]) {
      expect(read(`+${given}`, stripped), given).toEqual(read(`+${given}`, whole));
    }
  });
});

test("the phone library in a bundle, without Babel's helpers, reads the numbers of all countries as the library does", async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export { parsePhoneNumberFromString } from 'libphonenumber-js/min';", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [phoneNumbersWithoutFormats],
  });
  const [{ text } = { text: '' }] = outputFiles;
  expect(text).not.toMatch(/@babel|_unsupportedIterableToArray/);
  const file = join(temporary(), 'phone.mjs');
  writeFileSync(file, text);
  const bundled = (await import(file)) as typeof import('libphonenumber-js/min');
  const read = ({ parsePhoneNumberFromString: parse }: typeof bundled, given: string, country?: CountryCode) => {
    const parsed = parse(given, country);
    return [parsed?.number, parsed?.country, parsed?.isPossible(), parsed?.isValid(), parsed?.getType()];
  };
  for (const country of library.getCountries()) {
    const { number = '', nationalNumber = '' } = getExampleNumber(country, examples, metadata) ?? {};
    for (const given of [number, number.slice(0, -1), `${number}1`, `${number} ext. 5`, 'none'])
      expect(read(bundled, given), given).toEqual(read(library, given));
    expect(read(bundled, nationalNumber, country), country).toEqual(read(library, nationalNumber, country));
  }
});

describe("the product's transport in place of the SDK's", () => {
  test('signs a call of an SDK client as the SDK does', async () => {
    const options = {
      service: 'ses',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'AKID', secretAccessKey: 'x', sessionToken: 'session' },
    };
    const given = { protocol: 'https:', hostname: 'email.eu-central-1.amazonaws.com', method: 'POST', path: '/v2/email/outbound-emails' };
    const headers = { host: given.hostname, 'content-type': 'application/json', 'amz-sdk-request': 'attempt=1; max=1' };
    const request = { ...given, query: {}, headers, body: '{"a":"ü"}' };
    const signingDate = new Date('2026-11-22T12:34:56.789Z');
    const theirs = new SESv2Client({ region: options.region, credentials: options.credentials });
    const scheme = { name: 'sigv4', signingName: 'ses', signingRegion: options.region, properties: {} };
    const signer = (await theirs.config.signer?.(scheme)) as unknown as SignatureV4;
    const expected = await signer.sign({ ...request, headers: { ...headers } }, { signingDate });
    // which services but S3 do not require
    const hashed = { 'x-amz-content-sha256': expected.headers['x-amz-content-sha256'] ?? '' };
    const ours = await new SignatureV4(options).sign({ ...request, headers: { ...headers, ...hashed } }, { signingDate });
    expect(ours.headers['authorization']).toBe(expected.headers['authorization']);
    expect(ours.headers['x-amz-security-token']).toBe('session');
  });

  test('signs nothing that it would sign wrongly', async () => {
    const signer = new SignatureV4({ service: 'ses', region: 'eu-central-1', credentials: { accessKeyId: 'AKID', secretAccessKey: 'x' } });
    const request = { protocol: 'https:', hostname: 'x', method: 'POST', path: '/', headers: {} };
    await expect(signer.sign({ ...request, method: 'GET' })).rejects.toThrow('Only a POST');
    await expect(signer.sign({ ...request, query: { a: '1' } })).rejects.toThrow('Only a POST');
    await expect(signer.sign({ ...request, path: '/a%20b' })).rejects.toThrow('Only a POST');
  });

  test('refuses a client that did not bring it', () => {
    const { requestHandler } = withTimeouts();
    expect(NodeHttpHandler.create(requestHandler)).toBe(requestHandler);
    expect(() => NodeHttpHandler.create(() => ({}))).toThrow('withTimeouts');
  });
});
