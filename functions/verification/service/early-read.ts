import { AsyncLocalStorage } from 'node:async_hooks';
import { tokenHash } from '../../../shared/access/token.ts';
import { processMap } from '../../../shared/runtime/memory.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { getRequest } from '../store/request.ts';

/** The company of each key that this process has seen pass its check last, by the hash of its secret. */
const companyOfKey = processMap<string, number>();
const maxKeys = 1_000;

interface EarlyRead {
  companyId: number | undefined;
  requestId: string;
  /** Undefined: the company of the key is not known yet. */
  read: Promise<StoredRequest | undefined> | undefined;
  /** The key has passed its check. */
  isChecked: boolean;
}
const scope = new AsyncLocalStorage<EarlyRead>();

/**
 * Begins to read the request of a call beside the check of its key, where this process knows the key's company: one round less. What was
 * read is used only after the check, and only by the company that the check names. A refused key is forgotten: it costs one read at most.
 */
export const withEarlyRead = async <T>(secret: string, requestId: string, work: () => Promise<T>): Promise<T> => {
  const key = tokenHash(secret);
  const companyId = companyOfKey.get(key);
  const read = companyId === undefined ? undefined : getRequest(companyId, requestId);
  // a call that is refused does not wait for it
  read?.catch(() => undefined);
  const early: EarlyRead = { companyId, requestId, read, isChecked: false };
  try {
    return await scope.run(early, work);
  } finally {
    if (!early.isChecked) companyOfKey.delete(key);
    else if (early.companyId !== undefined && early.companyId !== companyId) {
      if (companyOfKey.size >= maxKeys) companyOfKey.clear();
      companyOfKey.set(key, early.companyId);
    }
  }
};

/** A request for the caller whose key was checked: as it was read beside the check, else read now. 0.5 RRU. */
export const getCheckedRequest = (companyId: number, requestId: string): Promise<StoredRequest | undefined> => {
  const early = scope.getStore();
  const read = early?.companyId === companyId && early.requestId === requestId ? early.read : undefined;
  if (early) Object.assign(early, { companyId, isChecked: true });
  return read ?? getRequest(companyId, requestId);
};
