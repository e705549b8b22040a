import { afterAll, vi } from 'vitest';

/**
 * Test files share a worker process, because starting one and compiling the AWS SDK in it takes longer than most files. Each file still begins with modules of
 * its own (the product keeps caches in them, by ids that every table counts from 1) and leaves the globals as it found them.
 */
vi.resetModules();

/** Before zod is loaded: as in the bundles (lib/bundle.ts), it compiles no parsers, which each file would compile anew for a few uses. */
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

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
