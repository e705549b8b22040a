import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { declaredRoles, generateRegistries, roleName } from '../../lib/generate/registry.ts';
import { processMap, processSet } from '../../shared/runtime/memory.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { durations } from '../support/durations.ts';
import { circlesIn, importsIn, placeOf, type SourceFile, sourceFiles } from './imports.ts';

const functions = sourceFiles('functions');
const shared = sourceFiles('shared');
const all = [...functions, ...shared, ...sourceFiles('lib', 'bin', 'test')];

/** The lines a reviewer would have to see: `file -> what it may not import`. */
const offences = (files: readonly SourceFile[], isForbidden: (file: SourceFile, imported: string) => boolean): string[] =>
  files.flatMap((file) => file.imports.filter((imported) => isForbidden(file, imported)).map((imported) => `${file.path} -> ${imported}`));

const isRegistry = (path: string): boolean => path.endsWith('/registry.generated.ts');
const declaredFiles = declaredRoles.map(roleName);
const registriesOf = (contexts: typeof app): string[] => generateRegistries(contexts).map(({ path }) => path);

const isSdk = (name: string): boolean => /^(@aws-sdk|@smithy|@middy)\//.test(name);

describe('the law of imports', () => {
  test.each(['domain', 'reactions'])('%s is pure: no SDK, no store, service, http, worker or gateway', (role) => {
    const impure = ['store', 'service', 'http', 'worker', 'gateway'];
    const files = functions.filter(({ path }) => placeOf(path)?.role === role);
    expect(files.length).toBeGreaterThan(0);
    const loaded = files.map((file) => ({ ...file, imports: file.loaded }));
    expect(offences(loaded, (_, imported) => isSdk(imported) || impure.includes(placeOf(imported)?.role ?? ''))).toEqual([]);
  });

  test('every file of a context has one of the roles by its name or folder', () => {
    const roles = ['context', 'contract', 'domain', 'store', 'service', 'http', 'worker', 'gateway', 'recounts', ...declaredFiles];
    const others = functions.filter(
      ({ path }) => path !== 'functions/app.ts' && !isRegistry(path) && !roles.includes(placeOf(path)?.role ?? ''),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  test('no context needs itself by way of others, apart from what generated registries read', () => {
    const names = [...new Set(functions.flatMap(({ path }) => placeOf(path)?.context ?? []))].toSorted();
    const contexts = names.map((name): SourceFile => {
      const own = functions.filter(({ path }) => placeOf(path)?.context === name && !isRegistry(path));
      const imports = own.flatMap((file) => file.imports.flatMap((imported) => placeOf(imported)?.context ?? []));
      return { path: name, imports: [...new Set(imports)].filter((each) => each !== name), loaded: [], text: '' };
    });
    expect(circlesIn(contexts)).toEqual([]);
  });

  test('no role is a file beside a folder of the same name', () => {
    const folders = new Set(functions.map(({ path }) => dirname(path)));
    expect(functions.map(({ path }) => path).filter((path) => folders.has(path.replace(/\.ts$/, '')))).toEqual([]);
  });

  test('no file imports itself by way of others, types included', () => {
    const product = [...functions, ...shared, ...sourceFiles('lib', 'bin')];
    expect(circlesIn(product)).toEqual([]);
  });

  test('a context imports the contract and the service of another one alone', () => {
    const isForeign = ({ path }: SourceFile, imported: string): boolean => {
      const [from, to] = [placeOf(path), placeOf(imported)];
      if (!from || !to || from.context === to.context || to.role === 'contract' || to.role === 'service') return false;
      return !isRegistry(path);
    };
    expect(offences(functions, isForeign)).toEqual([]);
  });

  test('a generated registry imports the roles that contexts declare, and nothing else of them', () => {
    const registries = functions.filter(({ path }) => isRegistry(path));
    expect(registries.map(({ path }) => path)).toEqual(registriesOf(app));
    const isOther = (_: SourceFile, imported: string): boolean =>
      !imported.startsWith('shared/') && !declaredFiles.includes(placeOf(imported)?.role ?? '');
    expect(offences(registries, isOther)).toEqual([]);
  });

  test('what change-stream and due-work write by hand imports no other context, apart from the entries to webhooks and the event log', () => {
    const own = functions.filter(({ path }) => ['change-stream', 'due-work'].includes(placeOf(path)?.context ?? '') && !isRegistry(path));
    const isOther = (_: SourceFile, imported: string): boolean =>
      !['change-stream', 'due-work', undefined].includes(placeOf(imported)?.context);
    expect(offences(own, isOther)).toEqual([
      'functions/change-stream/context.ts -> functions/webhooks/contract/queue.ts',
      'functions/change-stream/service/deliver.ts -> functions/events/service/append-events.ts',
      'functions/change-stream/service/deliver.ts -> functions/webhooks/service/enqueue-events.ts',
    ]);
  });

  test('the console imports the client, pure rules of contexts, the rule of CSV cells, and itself: it can do nothing that a customer cannot', () => {
    const files = sourceFiles('console');
    expect(files.length).toBeGreaterThan(40);
    const isOther = (_: SourceFile, imported: string): boolean =>
      /^(functions|shared|lib|bin|test|bench|client)\//.test(imported) &&
      !/^client\/(client|operations\.generated)\.ts$/.test(imported) &&
      imported !== 'shared/runtime/csv-line.ts' &&
      placeOf(imported)?.role !== 'domain';
    expect(offences(files, isOther)).toEqual([]);
    expect(circlesIn(files)).toEqual([]);
  });

  test('the console loads of the API’s rules for templates these alone, and with them nothing but one another', () => {
    const folder = 'functions/templates/domain/';
    const rules = ['bid', 'draft', 'name', 'rules', 'sample', 'special-rules', 'status'].map((name) => `${folder}${name}.ts`);
    const byConsole = sourceFiles('console').flatMap(({ loaded }) =>
      loaded.filter((imported) => imported.startsWith('functions/templates/')),
    );
    expect([...new Set(byConsole)].toSorted()).toEqual(rules.filter((path) => !/name|special/.test(path)));
    const files = functions.filter(({ path }) => rules.includes(path)).map((file) => ({ ...file, imports: file.loaded }));
    expect(offences(files, (_, imported) => !rules.includes(imported))).toEqual([]);
  });

  test('parts and data of the console import no screen', () => {
    const files = sourceFiles('console').filter(({ path }) => /^console\/(components|data|text)\//.test(path));
    expect(files.length).toBeGreaterThan(40);
    expect(offences(files, (_, imported) => imported.startsWith('console/screens/'))).toEqual([]);
  });

  test('screens of one area of the console import none of another: what two show is a part', () => {
    const areaOf = (path: string): string | undefined => /^console\/screens\/([^/]+)\//.exec(path)?.[1];
    const screens = sourceFiles('console').filter(({ path }) => areaOf(path) !== undefined);
    expect(screens.length).toBeGreaterThan(50);
    expect(offences(screens, (file, imported) => areaOf(imported) !== undefined && areaOf(imported) !== areaOf(file.path))).toEqual([]);
  });

  test('functions import nothing from lib, bin or test, nor the list of contexts', () => {
    expect(offences(functions, (_, imported) => /^(lib|bin|test|bench)\//.test(imported) || imported === 'functions/app.ts')).toEqual([]);
  });

  test('shared imports nothing from functions, lib, bin or test', () => {
    expect(offences(shared, (_, imported) => /^(functions|lib|bin|test|bench)\//.test(imported))).toEqual([]);
  });

  test('the list of contexts imports contexts alone', () => {
    const list = functions.filter(({ path }) => path === 'functions/app.ts');
    expect(list).toHaveLength(1);
    expect(offences(list, (_, imported) => placeOf(imported)?.role !== 'context' && !imported.startsWith('shared/contract/'))).toEqual([]);
  });

  test('lib imports nothing from bin or test', () => {
    expect(offences(sourceFiles('lib'), (_, imported) => /^(bin|test|bench)\//.test(imported))).toEqual([]);
  });

  test('zod comes as a namespace: as a name it is five times as large in a bundle', () => {
    expect(all.filter(({ text }) => /import\s*\{\s*z\b[^}]*\}\s*from\s*['"]zod['"]/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('the files that are started first are there', () => {
    const paths = new Set(all.map(({ path }) => path));
    expect(Object.keys(durations.files).filter((file) => !paths.has(file))).toEqual([]);
  });

  test('a test is named after what it guarantees, not after the number of a finding', () => {
    const tests = sourceFiles('test').filter(({ path }) => path.endsWith('.test.ts'));
    expect(tests.filter(({ path }) => /^[a-z]\d+-|^[a-z]-/.test(basename(path))).map(({ path }) => path)).toEqual([]);
    const numbered = /^\s*(?:\)?\(|(?:test|it|describe|attack)(?:\.each)?\()?['"`][A-Z]\d{1,2}: /m;
    expect(tests.filter(({ text }) => numbered.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('nothing has a name that says nothing', () => {
    const empty = /^(index|utils?|helpers?|common|types|managers?)\b/;
    expect(all.map(({ path }) => path).filter((path) => empty.test(basename(path)))).toEqual([]);
  });
});

describe('what a process keeps between invocations', () => {
  test('is made where the fault runs can clear it, as a death does, or follows from the code alone or lasts only while something runs', () => {
    const emptyAtFirst = /^(?:export )?(?:let (\w+)\b.*|const (\w+)[^=\n]* = (?:new (?:Map|Set)(?:<[^(\n]*>)?\(\)|\[\]);)$/gm;
    const exported = [...functions, ...shared].flatMap(({ path, text }) =>
      [...text.matchAll(emptyAtFirst)].map(([, variable, constant]) => `${path} ${variable ?? constant}`),
    );
    expect(exported.toSorted()).toEqual([
      // the same in every process
      'functions/api-reference/service.ts texts',
      // read from the code's own data, with the first use
      'functions/contacts/contract/country.ts byAlpha2',
      'functions/contacts/contract/country.ts byNumber',
      'functions/contacts/domain/imports/country-names.ts byName',
      'functions/messaging/domain/keyword.ts defaultSets',
      // while something runs
      'functions/messaging/service/send-slots.ts slotCallers',
      'functions/messaging/service/send-slots.ts turnCallers',
      // the same in every process
      'functions/shop/domain/money.ts digits',
      'functions/verification/domain/disposable.ts hashes',
      'functions/verification/service/data-centres.ts dataCentres',
      // while something runs
      'functions/webhooks/service/create-deliveries.ts openWakeBatch',
      'functions/webhooks/service/deliver-webhooks.ts activeRuns',
      'shared/http/answer.ts compressedTexts',
      // connections, and when they were last used
      'shared/provider/http.ts calledAt',
      'shared/provider/http.ts plain',
      'shared/provider/http.ts secure',
      // of a process that serves one operator
      'shared/runtime/actor.ts ofProcess',
      'shared/runtime/fetch.ts resolver',
      'shared/runtime/log.ts isToStandardError',
      'shared/runtime/memory.ts memories',
      'shared/runtime/seal.ts derived',
      'shared/runtime/zone.ts formats',
      // what the code declares
      'shared/table/entity.ts registry',
      'shared/table/pattern.ts patterns',
    ]);
  });

  test('is gone after a death, and stays while the process lives', async () => {
    const [numbers, words] = [processMap<string, number>(), processSet<string>()];
    const { runWithCrash, over } = crashInjection();
    const steps: (() => void)[] = [];
    const hooked = (step: () => void): Disposable => {
      steps.push(step);
      return { [Symbol.dispose]: () => {} };
    };
    using _life = over({ onTable: hooked as never, onQueue: hooked as never });
    numbers.set('a', 1);
    words.add('b');
    await runWithCrash(undefined, async () => steps.forEach((step) => step()));
    expect([numbers.size, words.size]).toEqual([1, 1]);
    await runWithCrash(1, async () => steps.forEach((step) => step()));
    expect([numbers.size, words.size]).toEqual([0, 0]);
  });
});

describe('reading imports', () => {
  test.each([
    ["import a from 'x';", ['x']],
    ["import type { A } from './a.ts';", ['./a.ts']],
    ["import {\n  a,\n  b,\n} from './many.ts';", ['./many.ts']],
    ["export { a } from './b.ts';", ['./b.ts']],
    ["import './effect.ts';", ['./effect.ts']],
    ["const a = await import('./late.ts');", ['./late.ts']],
    ["type P = typeof import('./typed.ts').p;", ['./typed.ts']],
    ["export const a = 1;\nconst from = 'not';", []],
  ])('%j', (text, imports) => {
    expect(importsIn(text)).toEqual(imports);
  });
});
