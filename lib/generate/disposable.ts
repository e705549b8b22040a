import { createRequire } from 'node:module';
import * as z from 'zod';
import { disposableFiles } from '../../functions/verification/domain/disposable.ts';
import { domainHash, pack } from '../../functions/verification/domain/packed-hashes.ts';

/** The maintained list of throw-away domains, packed to lie beside the bundle (functions/verification/domain/disposable.ts). */
export const generateDisposable = (): { path: string; content: string } => {
  const list = z
    .array(z.string())
    .min(1_000)
    .parse(createRequire(import.meta.url)('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'));
  const hashes = list.map((domain) => domainHash(domain.trim().toLowerCase()));
  return { path: disposableFiles['disposable.generated.txt'], content: pack(hashes) };
};
