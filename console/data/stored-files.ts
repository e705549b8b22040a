/** Files that the browser keeps by name: over a reload where it lets pages store any, else as long as the page. */
export interface StoredFiles {
  get: (name: string) => Promise<readonly File[]>;
  set: (name: string, files: readonly File[]) => Promise<void>;
}

const [database, table] = ['switchboard', 'files'];

const opened = (): Promise<IDBDatabase> =>
  new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(table));
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser stores no files.')));
  });

const run = async <T>(mode: IDBTransactionMode, work: (files: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
  const store = await opened();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = store.transaction(table, mode);
      const request = work(transaction.objectStore(table));
      transaction.addEventListener('complete', () => resolve(request.result));
      transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The browser did not store the file.')));
    });
  } finally {
    store.close();
  }
};

/** What a user attached, under names that begin with the user. */
export const filesOf = (beginning: string): StoredFiles => {
  const here = new Map<string, readonly File[]>();
  return {
    get: async (name) => {
      const known = here.get(name);
      if (known || typeof indexedDB === 'undefined') return known ?? [];
      const stored: unknown = await run('readonly', (files) => files.get(beginning + name)).catch(() => undefined);
      return Array.isArray(stored) ? stored.filter((each) => each instanceof File) : [];
    },
    set: async (name, files) => {
      if (files.length === 0) here.delete(name);
      else here.set(name, files);
      if (typeof indexedDB === 'undefined') return;
      // a browser without storage or space keeps them while the page is open
      const stored =
        files.length === 0
          ? run('readwrite', (all) => all.delete(beginning + name))
          : run('readwrite', (all) => all.put(files, beginning + name));
      await stored.catch(() => undefined);
    },
  };
};

/** Removes the files of all others than the user with this beginning; of everyone where it is empty. */
export const removeFilesBut = async (beginning: string): Promise<void> => {
  if (typeof indexedDB === 'undefined') return;
  const names = await run('readonly', (files) => files.getAllKeys()).catch((): IDBValidKey[] => []);
  const others = names.filter((name) => beginning === '' || typeof name !== 'string' || !name.startsWith(beginning));
  await Promise.all(others.map((name) => run('readwrite', (files) => files.delete(name)).catch(() => undefined)));
};
