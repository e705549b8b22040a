import { describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import { assertDeployable, assertQuota, assertSite, parseStoredSettings, refusedChanges } from '../../lib/aws/deployed-settings.ts';
import { leastUnreserved, reservedTogether } from '../../lib/aws/edges.ts';
import { settingsParameter } from '../../lib/aws/naming.ts';
import { parseSettings, readStage } from '../../lib/aws/settings.ts';
import { fixture } from './fixture/contexts.ts';
import { templateOf } from './template.ts';

test('the example of a stage has valid settings, and a stage without a file is an error', () => {
  expect(parseSettings(readStage('example'))).toMatchObject({ stackName: 'switchboard', alarmEmail: 'ops@example.com' });
  expect(() => readStage('nowhere')).toThrow('There is no stages/nowhere.json; copy stages/example.json.');
  expect(() => readStage('../package')).toThrow('There is no stages/');
});

test('a deploy that drops or changes a setting is refused until the setting is named; one that adds a setting is not', () => {
  const deployed = parseSettings({ alarmEmail: 'a@b.de', logRetentionDays: 7 });
  expect(refusedChanges(deployed, parseSettings({ alarmEmail: 'a@b.de', logRetentionDays: 7, backupDays: 14 }), [])).toEqual([]);
  expect(refusedChanges(deployed, parseSettings({ logRetentionDays: 30 }), [])).toEqual([
    'alarmEmail: is "a@b.de", and would become unset.',
    'logRetentionDays: is 7, and would become 30.',
  ]);
  expect(refusedChanges(deployed, parseSettings({}), ['alarmEmail', 'logRetentionDays'])).toEqual([]);
});

test('a deploy that would put a new table in the place of a restored one is refused, and says so', () => {
  const deployed = parseSettings({ restoredTable: 'restored', restoredStream: '2026-11-21T12:00:00.000' });
  expect(refusedChanges(deployed, parseSettings({}), [])[0]).toContain('a new, empty table would take its place');
});

test('a sender address under an example domain is not deployed', () => {
  expect(() => assertDeployable(parseSettings({}))).toThrow('emailFrom is no-reply@example.com');
  expect(() => assertDeployable(parseSettings({ emailFrom: 'hello@acme.de' }))).not.toThrow();
});

describe('the guard of the account', () => {
  const whole = parseSettings({});
  const reserved = reservedTogether(declarationsOf(app).functions, whole);
  const first = { now: 0, next: reserved };

  test('a deploy that reserves more than the account runs at once stops before anything is built, not halfway', () => {
    expect(() => assertQuota(whole, { quota: 10, unreserved: 10 }, first)).toThrow('set it to 10 in stages/<name>.json');
    for (const quota of [1_000, 5_000]) expect(() => assertQuota(whole, { quota, unreserved: quota }, first)).not.toThrow();
    expect(() => assertQuota(whole, undefined, first)).not.toThrow();
    const small = parseSettings({ accountConcurrency: 10 });
    expect(reservedTogether(declarationsOf(app).functions, small)).toBe(0);
    expect(() => assertQuota(small, { quota: 10, unreserved: 10 }, { now: 0, next: 0 })).not.toThrow();
  });

  test('a second stage in an account of 1,000 is refused with what helps; one that reserves nothing is not, nor is the first one again', () => {
    const beside = { quota: 1_000, unreserved: 1_000 - reserved };
    expect(() => assertQuota(whole, beside, first)).toThrow(
      new RegExp(
        `would reserve ${reserved} .* of the 1000 of this account ${1_000 - reserved} are left.*accountConcurrency of a test stage to 10`,
      ),
    );
    expect(() => assertQuota(parseSettings({ accountConcurrency: 10 }), beside, { now: 0, next: 0 })).not.toThrow();
    expect(() => assertQuota(whole, beside, { now: reserved, next: reserved })).not.toThrow();
  });

  test('what another product in the account has reserved counts', () => {
    expect(() => assertQuota(whole, { quota: 1_000, unreserved: reserved + leastUnreserved - 1 }, first)).toThrow(
      'other stacks have reserved',
    );
    expect(() => assertQuota(whole, { quota: 1_000, unreserved: reserved + leastUnreserved }, first)).not.toThrow();
  });
});

test('a first deploy with pages into an account without CloudFront stops with what to do, unless it is known to be verified', () => {
  expect(() => assertSite(0, [])).toThrow('deploy with -c site=false first');
  for (const [distributions, accepted] of [
    [0, ['site']],
    [1, []],
    [undefined, []],
  ] as const)
    expect(() => assertSite(distributions, accepted)).not.toThrow();
});

describe('the settings that another release stored', () => {
  test('of a newer one, on the way back: what this one does not know is named, and the rest is compared', () => {
    const { settings, leftOut } = parseStoredSettings('{"alarmEmail":"a@b.de","ringTone":"loud","logRetentionDays":"for ever"}');
    expect(leftOut).toEqual(['ringTone', 'logRetentionDays']);
    expect(refusedChanges(settings, parseSettings({}), [])).toEqual(['alarmEmail: is "a@b.de", and would become unset.']);
    expect(refusedChanges(settings, parseSettings({ alarmEmail: 'a@b.de' }), [])).toEqual([]);
  });

  test('that stored its defaults too are no reason to stop', () => {
    const { settings } = parseStoredSettings(JSON.stringify(parseSettings({ alarmEmail: 'a@b.de' })));
    expect(refusedChanges(settings, parseSettings({ alarmEmail: 'a@b.de', backupDays: 7 }), [])).toEqual([]);
  });
});

test('the stack stores the settings that its stage sets, under its own name, and no default', () => {
  const [parameter] = templateOf(fixture, { stackName: 'switchboard-test', alarmEmail: 'a@b.de' }).ofType('AWS::SSM::Parameter');
  expect(parameter?.Properties['Name']).toBe(settingsParameter('switchboard-test'));
  expect(JSON.parse(String(parameter?.Properties['Value']))).toEqual({ stackName: 'switchboard-test', alarmEmail: 'a@b.de' });
});
