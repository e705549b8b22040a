import { afterAll, beforeEach, vi } from 'vitest';

/** What `console/data` needs of a browser. Imported before it: some of it is read as modules are loaded. */
class FakeStorage {
  readonly [name: string]: unknown;
  getItem(name: string): string | null {
    return Object.hasOwn(this, name) ? String(this[name]) : null;
  }
  setItem(name: string, text: string): void {
    Object.assign(this, { [name]: text });
  }
  removeItem(name: string): void {
    Reflect.deleteProperty(this, name);
  }
}

/** The addresses to which pages were left. */
export const left: string[] = [];
/** What a browser keeps for the pages of all its tabs. */
export let storage = new FakeStorage();

vi.stubGlobal('location', {
  origin: 'http://console.test',
  hostname: 'console.test',
  pathname: '/console/inbox/7',
  search: '?view=mine',
  replace: (address: string) => left.push(address),
  reload: () => left.push('reload'),
});
vi.stubGlobal('document', { documentElement: { style: {} } });
vi.stubGlobal('addEventListener', () => undefined);
// also for a timer that ends after its test
Object.assign(globalThis, { dispatchEvent: () => true });
// one page of a browser without locks
vi.stubGlobal('navigator', {});

beforeEach(() => {
  left.length = 0;
  storage = new FakeStorage();
  vi.stubGlobal('localStorage', storage);
});
afterAll(() => vi.unstubAllGlobals());
