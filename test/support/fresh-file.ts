import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { hideOutsideNames } from './outside-names.ts';

/**
 * Test files share a worker process, because starting one and compiling the AWS SDK in it takes longer than most files. Each file still begins with modules of
 * its own, and leaves the globals as it found them. Only the product's modules stay, which take most of the time to load: what they keep from call to call is
 * cleared, as by a death (test/wiring/imports.test.ts holds what that is), and they import none of those that go.
 */
const isProduct = (path: string): boolean => path.startsWith(productFolders[0]) || path.startsWith(productFolders[1]);
const root = `${join(import.meta.dirname, '../..')}/`;
const productFolders = [`${root}functions/`, `${root}shared/`] as const;

hideOutsideNames();

/** The file before may have left its test app on the ports that this one needs (test-app.ts). */
const worldKey = Symbol.for('switchboard.test-app');
await (process as typeof process & { [worldKey]?: () => Promise<void> })[worldKey]?.();

/** A file that puts something in the place of a module or a client, loads a module anew or declares an entity has a product of its own, which goes with it. */
const replacesModules = /\b(vi\.(mock|doMock|resetModules)|mockClient|entity|pattern)\(/.test(
  readFileSync(expect.getState().testPath ?? '', 'utf8'),
);
const ofWorker = globalThis as typeof globalThis & { fileBefore?: FileBefore; __vitest_worker__: Worker };
interface Worker {
  evaluatedModules: { idToModuleMap: ReadonlyMap<string, Module> };
}
interface Module {
  promise?: unknown;
  exports?: unknown;
  evaluated: boolean;
}
interface FileBefore {
  replacedModules: boolean;
  /** The product that files share. */
  product: ReadonlyMap<Module, Module>;
}
const { fileBefore } = ofWorker;
const product = fileBefore?.replacedModules
  ? fileBefore.product
  : new Map(
      [...ofWorker.__vitest_worker__.evaluatedModules.idToModuleMap].flatMap(([path, module]) =>
        isProduct(path) ? [[module, { ...module }]] : [],
      ),
    );
ofWorker.fileBefore = { replacedModules: replacesModules, product };
vi.resetModules();
if (!replacesModules)
  for (const [module, { promise, exports, evaluated }] of product) Object.assign(module, { promise, exports, evaluated });

/** Before zod is loaded: it compiles no parsers, which each file would compile anew for a few uses. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const { clearProcessMemory } = await import('../../shared/runtime/memory.ts');
clearProcessMemory();

const { Date: date, fetch } = globalThis;
const env = { ...process.env };
const write = process.stdout.write.bind(process.stdout);

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  Object.assign(globalThis, { Date: date, fetch });
  Object.defineProperty(date.prototype, 'constructor', { value: date, writable: true, configurable: true });
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.stdout.write = write;
});
