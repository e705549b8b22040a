import { readFileSync } from 'node:fs';
import { besideCode } from '../../../shared/runtime/beside.ts';
import { domainHash, unpack } from './packed-hashes.ts';

/**
 * Whether a domain, or one above it, is a maker of throw-away addresses (decision V14). The list is a maintained package's, kept here as
 * 32-bit hashes in a fifth of its size; an innocent domain meets one of them once in 480,000, and an exception of the profile helps it.
 */
export const isDisposable = (domain: string): boolean => {
  hashes ??= unpack(readFileSync(besideCode(listName, disposableFiles[listName]), 'utf8'));
  const labels = domain.toLowerCase().split('.');
  for (let from = 0; from < labels.length - 1; from++) if (hashes.has(domainHash(labels.slice(from).join('.')))) return true;
  return false;
};

const listName = 'disposable.generated.txt';

/** The list lies beside the bundle: a function that is never asked for an email does not load it. */
export const disposableFiles = { [listName]: `functions/verification/domain/${listName}` } as const;

let hashes: ReadonlySet<number> | undefined;
