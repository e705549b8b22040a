import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import parsePhoneNumber, { type CountryCode, getCountries, getExampleNumber, type MetadataJson } from 'libphonenumber-js/core';
import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import { describe, expect, test } from 'vitest';
import { buildApp } from '../../lib/aws/synth.ts';
import { complaint, readBaseline } from '../../bench/baseline.ts';
import { bundleFigures, scenario } from '../../bench/scenarios/bundles.ts';
import { bundle, withoutFormats } from '../../lib/bundle.ts';
import { ensureTemplate } from '../../lib/local/synth.ts';
import { withoutDocumentation } from '../../lib/without-documentation.ts';
import { app } from '../../functions/app.ts';
import { fixture } from './fixture/contexts.ts';

const functions = app.flatMap((context) => context.functions);
const temporary = (): string => mkdtempSync(join(tmpdir(), 'switchboard-bundles-'));

describe('bundles', () => {
  test('each has a handler, loads, and is within its budget and no larger than the baseline', async () => {
    // those of the synthesized stack, which tests with a running product need as well: made once a checkout and change
    const outDir = join(import.meta.dirname, '../../cdk.out');
    await ensureTemplate(join(outDir, '..'), outDir, AbortSignal.timeout(170_000));
    const folderOf = (name: string): string => join(outDir, 'bundles', name);
    const script = `for (const file of process.argv.slice(1)) { const m = await import(file); if (typeof m.handler !== 'function') throw new Error(file); }`;
    const files = functions.map(({ name }) => join(folderOf(name), 'main.mjs'));
    const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'y' };
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', script, ...files], { env, stdio: 'pipe' })).not.toThrow();
    const sizes = Object.fromEntries(functions.map(({ name }) => [name, statSync(join(folderOf(name), 'main.mjs')).size]));
    const baseline = readBaseline();
    const over = bundleFigures(sizes).flatMap((figure) => {
      const why = complaint(scenario, figure, baseline);
      return why ? [`${figure.name}: ${figure.value} bytes, ${why}`] : [];
    });
    expect(over).toEqual([]);
  });

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
    ["z.array(z.string().describe('A (b)')).describe(`c`)", 'z.array(z.string())'],
    ['route({ answers: { 200: z.object({ a: z.int().meta({ id: "x" }) }) }, path: p })', 'route({  path: p })'],
    [
      'route({ path: p, body: z.object({ a }).meta({ id: "x" }), query: paging, effect: "read" })',
      'route({ path: p, get body() { const built$ = z.object({ a }); Object.defineProperty(this, \'body\', { value: built$ }); return built$; }, query: paging, effect: "read" })',
    ],
    [
      'export const a = z.object({}).describe("x"), b = other(); const c = entity({ name });',
      'export const a = /* @__PURE__ */ (() => z.object({}))(), b = other(); const c = /* @__PURE__ */ (() => entity({ name }))();',
    ],
    ['const work = () => { const a = z.int(); return a; };', 'const work = () => { const a = z.int(); return a; };'],
  ])('%s', (source, expected) => {
    expect(withoutDocumentation(source).replaceAll(/\s+/g, ' ')).toBe(expected.replaceAll(/\s+/g, ' '));
  });
});

test('a schema that stands in a route, an event or an entity is built with its first use, and once', () => {
  const source = "let built = 0; const value = () => ({ nth: ++built }); const given = route({ path: 'p', body: value() });";
  const run = new Function(
    'route',
    `${withoutDocumentation(source)} return [built, given.body, given.body, built, Object.keys(given)];`,
  ) as (route: (spec: unknown) => unknown) => unknown[];
  expect(run((spec) => spec)).toEqual([0, { nth: 1 }, { nth: 1 }, 1, ['path', 'body']]);
});

describe('phone data without formats', () => {
  const whole = createRequire(import.meta.url)('libphonenumber-js/metadata.min.json') as MetadataJson;
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
