import { createRequire } from 'node:module';
import * as z from 'zod';
import { verificationFiles } from '../../functions/verification/contract/files.ts';
import { encodeDomains } from '../../functions/verification/domain/disposable.ts';

/** The maintained list of throw-away domains, packed to lie beside the bundle (functions/verification/domain/disposable.ts). */
export const generateDisposable = (): { path: string; content: string } => {
  const list = z
    .array(z.string())
    .min(1_000)
    .parse(createRequire(import.meta.url)('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'));
  return {
    path: verificationFiles['disposable.generated.txt'],
    content: `${
      encodeDomains(list)
        .match(/.{1,120}/g)
        ?.join('\n') ?? ''
    }\n`,
  };
};
