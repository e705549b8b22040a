import { expect, test } from 'vitest';
import { assertDeployable, assertQuota, refusedChanges } from '../../lib/aws/deployed-settings.ts';
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

test('a deploy that reserves more than the account runs at once stops before anything is built, not halfway', () => {
  expect(() => assertQuota(parseSettings({}), 10)).toThrow('set it to 10 in stages/<name>.json');
  for (const quota of [1_000, 5_000, undefined]) expect(() => assertQuota(parseSettings({}), quota)).not.toThrow();
  expect(() => assertQuota(parseSettings({ accountConcurrency: 10 }), 10)).not.toThrow();
});

test('the stack stores its settings, under its own name', () => {
  const [parameter] = templateOf(fixture, { stackName: 'switchboard-test', alarmEmail: 'a@b.de' }).ofType('AWS::SSM::Parameter');
  expect(parameter?.Properties['Name']).toBe(settingsParameter('switchboard-test'));
  expect(JSON.parse(String(parameter?.Properties['Value']))).toMatchObject({ alarmEmail: 'a@b.de' });
});
