import { createRequire } from 'node:module';
import * as z from 'zod';
import { packedDomains } from '../../functions/verification/domain/disposable.ts';

/** The maintained list of throw-away domains, packed for the bundle (functions/verification/domain/disposable.ts). */
export const generateDisposable = (): { path: string; content: string } => {
  const list = z
    .array(z.string())
    .min(1_000)
    .parse(createRequire(import.meta.url)('disposable-email-domains-js/dist/dict/disposable_email_blocklist.json'));
  const lines = packedDomains(list).match(/.{1,120}/g) ?? [];
  return {
    path: 'functions/verification/domain/disposable.generated.ts',
    content: [
      `// ${list.length} domains of disposable-email-domains-js, by npm run generate. Not to be edited.`,
      'export const disposableHashes =',
      `${lines.map((line) => `  '${line}'`).join(' +\n')};`,
      '',
    ].join('\n'),
  };
};
