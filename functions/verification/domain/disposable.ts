import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ownFile } from '../../../shared/runtime/file.ts';
import { verificationFiles } from '../contract/files.ts';
import { encodeVarints, decodeVarints } from './varint.ts';

/**
 * Whether a domain, or a parent of it, provides disposable addresses. The list of a maintained package is stored as 32-bit hashes, a fifth
 * of its size; see docs/decisions/disposable-email-domains.md. One other domain in 480,000 collides, and can be whitelisted.
 */
export const isDisposable = (domain: string): boolean => {
  hashes ??= decodeDomains(readFileSync(ownFile(verificationFiles, 'disposable.generated.txt'), 'utf8'));
  const labels = domain.toLowerCase().split('.');
  for (let from = 0; from < labels.length - 1; from++) if (hashes.has(domainHash(labels.slice(from).join('.')))) return true;
  return false;
};

let hashes: ReadonlySet<number> | undefined;

/** The list as text: sorted 32-bit hashes, as the distances between them. */
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
