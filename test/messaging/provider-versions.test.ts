import { describe, expect, test } from 'vitest';
import { evaluateVersions } from '../../functions/messaging/domain/provider-version.ts';
import { currentVersion, daysUntilEnd, hasEnded, isKnownVersion, servedVersion } from '../../shared/provider/versions.ts';

const at = Date.parse('2026-11-28T12:00:00Z');

describe('the versions of the provider', () => {
  test.each([
    ['v13.0', 'v21.0'],
    ['v19.0', 'v21.0'],
    ['v20.0', 'v21.0'],
    ['v21.0', 'v21.0'],
    ['v27.0', 'v27.0'],
    ['v99.0', 'v99.0'],
  ])('a call of %s is served by %s', (requested, served) => expect(servedVersion(requested, at)).toBe(served));

  test('a version ends at the beginning of its last day, and the next one takes its place', () => {
    const end = Date.parse('2027-01-21');
    expect([hasEnded('v21.0', end - 1), hasEnded('v21.0', end)]).toEqual([false, true]);
    expect([servedVersion('v19.0', end - 1), servedVersion('v19.0', end), servedVersion('v21.0', end)]).toEqual([
      'v21.0',
      'v22.0',
      'v22.0',
    ]);
    expect([daysUntilEnd('v21.0', at), daysUntilEnd('v27.0', at)]).toEqual([54, undefined]);
  });

  test('only names that the provider has had are versions', () => {
    const known = ['v1.0', 'v19.0', 'v27.0', 'v28.0', 'v0.0', '19.0', 'v19', 'v-1.0'].filter(isKnownVersion);
    expect(known).toEqual(['v1.0', 'v19.0', 'v27.0']);
  });
});

describe('what an operator reads of the versions in use', () => {
  const findings = (requested: string, served?: string, webhooks?: string) => evaluateVersions({ requested, served, webhooks }, at);

  test('an ended one is wrong, and the one that really serves is named: by the answer, else by the table', () => {
    expect(findings('v19.0')).toMatchObject([
      {
        level: 'wrong',
        message: expect.stringMatching(/v19\.0 .* ended on 2026-05-21: the provider serves v21\.0/),
        remedy: expect.stringContaining(currentVersion),
      },
    ]);
    expect(findings('v19.0', 'v22.0')).toMatchObject([{ level: 'wrong', message: expect.stringContaining('serves v22.0') }]);
    expect(findings('v18.0')).toMatchObject([{ level: 'wrong', message: expect.stringContaining('has ended') }]);
  });

  test('one that ends within 90 days is doubtful', () => {
    expect(findings('v21.0', 'v21.0')).toMatchObject([{ level: 'doubtful', message: expect.stringContaining('in 54 days') }]);
    expect(findings('v22.0', 'v22.0')).toEqual([]);
  });

  test('an answer of another version than was requested is doubtful, also where no table says why', () => {
    expect(findings('v99.0', 'v27.0')).toMatchObject([{ level: 'doubtful', message: expect.stringMatching(/v99\.0.* served by v27\.0/) }]);
  });

  test('webhooks have a version of their own', () => {
    expect(findings(currentVersion, currentVersion, 'v20.0')).toMatchObject([
      { level: 'wrong', message: expect.stringMatching(/v20\.0, in which the app's webhooks come, ended on 2026-09-24/) },
    ]);
    expect(findings(currentVersion, currentVersion, 'v24.0')).toEqual([]);
  });
});
