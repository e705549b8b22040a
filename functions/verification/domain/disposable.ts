import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ownFile } from '../../../shared/runtime/file.ts';
import { verificationFiles } from '../contract/files.ts';
import { encodeVarints, decodeVarints } from './varint.ts';

/**
 * Whether a domain, or one above it, is a maker of throw-away addresses (decision V14). The list is a maintained package's, kept here as
 * 32-bit hashes in a fifth of its size; an innocent domain meets one of them once in 480,000, and an exception of the profile helps it.
 */
export const isDisposable = (domain: string): boolean => {
  hashes ??= decodeDomains(readFileSync(ownFile(verificationFiles, 'disposable.generated.txt'), 'utf8'));
  const labels = domain.toLowerCase().split('.');
  for (let from = 0; from < labels.length - 1; from++) if (hashes.has(domainHash(labels.slice(from).join('.')))) return true;
  return false;
};

let hashes: ReadonlySet<number> | undefined;

/** The list as text: 32-bit hashes, sorted, as their distances. */
export const encodeDomains = (domains: readonly string[]): string => {
  const sorted = [...new Set(domains.map((domain) => domainHash(domain.trim().toLowerCase())))].toSorted((a, b) => a - b);
  return encodeVarints(sorted.map((hash, nth) => hash - (sorted[nth - 1] ?? 0))).toString('base64');
};

function decodeDomains(text: string): ReadonlySet<number> {
  let hash = 0;
  return new Set(decodeVarints(Buffer.from(text, 'base64')).map((distance) => (hash += distance)));
}

function domainHash(domain: string): number {
  return createHash('sha256').update(domain).digest().readUInt32BE(0);
}
