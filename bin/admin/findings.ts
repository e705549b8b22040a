import type { Finding } from '../../functions/messaging/contract/finding.ts';

/** Findings as lines, each with its remedy below. */
export const findingLines = (findings: readonly Finding[]): string =>
  findings
    .map(({ level, message, remedy }) => `  ${level.padEnd(8)}  ${message}\n${remedy === undefined ? '' : `            -> ${remedy}\n`}`)
    .join('');
