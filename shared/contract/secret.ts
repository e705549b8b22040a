import type { SecretSpec } from './resource.ts';

/**
 * The sealing key: AES-256-GCM for secrets that must be read again (provider tokens, app secrets, webhook secrets).
 * Its value is JSON `{"id":"k1","key":"<random>","previous":{"k0":"<random>"}}`; rotation moves the old pair to `previous`.
 */
export const sealingKey: SecretSpec = {
  kind: 'secret',
  name: 'sealing',
  purpose: 'Seals provider tokens, app secrets and webhook secrets',
};

/** Signs the cursors of lists. A secret of its own: most functions that list read no sealed value. */
export const cursorKey: SecretSpec = {
  kind: 'secret',
  name: 'cursor',
  purpose: 'Signs the cursors of lists',
};

/** Hashes the identities of erased contacts. A secret of its own: whatever creates contacts compares with them, and reads no sealed value. */
export const erasureKey: SecretSpec = {
  kind: 'secret',
  name: 'erasure',
  purpose: 'Hashes the identities of erased contacts',
};
