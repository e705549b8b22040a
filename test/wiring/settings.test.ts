import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { parseSettings } from '../../lib/aws/settings.ts';
import { fixture } from './fixture/contexts.ts';
import { leadsTo, referred, templateOf } from './template.ts';

describe('settings', () => {
  test('none are needed', () => {
    expect(parseSettings({})).toEqual({
      stackName: 'switchboard',
      accountConcurrency: 1_000,
      defaultEndpoint: true,
      site: false,
      corsOrigins: [],
      gradual: false,
      dashboard: false,
      tracing: false,
      logRetentionDays: 30,
      backupDays: 35,
      restoredReplica: false,
      replicaRegions: [],
      // W11: files end by themselves
      fileRetentionDays: 365,
      providerBaseUrl: 'https://graph.facebook.com',
      providerVersion: 'v19.0',
      emailFrom: 'no-reply@example.com',
      keepData: true,
      workers: {},
      reserved: {},
      duePartitions: 8,
      publishEvents: false,
      doorbell: false,
      functionSettings: {},
    });
  });

  test('texts, as the command line gives them, and values, as cdk.json gives them, mean the same', () => {
    const texts = parseSettings({
      corsOrigins: 'https://a.example, https://b.example',
      logRetentionDays: '7',
      keepData: 'false',
      functionSettings: '{"A":"1"}',
    });
    const values = parseSettings({
      corsOrigins: ['https://a.example', 'https://b.example'],
      logRetentionDays: 7,
      keepData: false,
      functionSettings: { A: '1' },
    });
    expect(texts).toEqual(values);
  });

  test.each([
    [{ stackName: 'Big Name' }, /stackName: .*small letters/],
    [{ corsOrigins: 'https://a.example/path' }, /corsOrigins\.0: .*without a path/],
    [{ alarmEmail: 'nobody' }, /alarmEmail: must be an email address/],
    [{ logRetentionDays: '31' }, /logRetentionDays: must be one of 1, 3, 5/],
    [{ backupDays: '36' }, /backupDays: must be a whole number of days from 1 to 35/],
    [{ fileRetentionDays: '1.5' }, /fileRetentionDays: must be a whole number of days/],
    [{ publicBaseUrl: 'http://api.example.com' }, /publicBaseUrl: .*https/],
    [{ publicBaseUrl: 'https://api.example.com/' }, /publicBaseUrl: must not end with a slash/],
    [{ providerBaseUrl: 'graph' }, /providerBaseUrl: must be an address/],
    [{ providerVersion: '25' }, /providerVersion: must be a version such as v25\.0/],
    [{ keepData: 'perhaps' }, /keepData: /],
    [{ workers: '{"messaging-sends":1}' }, /workers\.messaging-sends: must be whole numbers from 2 to 1000/],
    [{ backupVaultArn: 'copies' }, /backupVaultArn: must be the ARN of a vault/],
    [{ duePartitions: 4 }, /duePartitions: must be a whole number from 8 to 256/],
    [{ functionSettings: '{' }, /functionSettings: must be a JSON object/],
    [{ corsOrigin: 'https://a.example' }, /corsOrigin.*\n?.*Known are: stackName, corsOrigins/],
  ])('%j is refused by name', (given, message) => {
    expect(() => parseSettings(given)).toThrow(message);
  });

  test('every wrong one is told at once', () => {
    expect(() => parseSettings({ alarmEmail: 'x', logRetentionDays: 'x' })).toThrow(/alarmEmail[^]*logRetentionDays/);
  });

  test('a variable that no function has is refused', () => {
    expect(() => templateOf(fixture, { functionSettings: { PAGE_SIZES: '10' } })).toThrow(/no function has a setting PAGE_SIZES/);
  });

  test('they reach what they are about', () => {
    const template = templateOf(fixture, {
      stackName: 'switchboard-test',
      corsOrigins: 'https://app.example',
      alarmEmail: 'ops@example.com',
      logRetentionDays: '7',
      backupDays: '14',
      fileRetentionDays: '90',
      publicBaseUrl: 'https://api.example.com',
      providerBaseUrl: 'http://localhost:4000',
      emailFrom: 'hello@mail.example',
      keepData: 'false',
      functionSettings: { PAGE_SIZE: '10' },
    });
    const shop = template
      .ofType('AWS::Lambda::Function')
      .find(({ Properties }) => Properties['FunctionName'] === 'switchboard-test-shop-http');
    const { Variables } = z.object({ Variables: z.record(z.string(), z.unknown()) }).parse(shop?.Properties['Environment']);
    expect(Variables).toMatchObject({
      PUBLIC_BASE_URL: 'https://api.example.com',
      PROVIDER_BASE_URL: 'http://localhost:4000',
      EMAIL_FROM: 'hello@mail.example',
      PAGE_SIZE: '10',
    });
    expect(JSON.stringify(template.ofType('AWS::DynamoDB::GlobalTable'))).toContain('"RecoveryPeriodInDays":14');
    expect(JSON.stringify(template.ofType('AWS::S3::Bucket'))).toContain('"ExpirationInDays":90');
    const [api] = template.ofType('AWS::ApiGatewayV2::Api');
    expect(api?.Properties['CorsConfiguration']).toMatchObject({ AllowOrigins: ['https://app.example'] });
    expect(template.ofType('AWS::SNS::Subscription').map(({ Properties }) => Properties['Endpoint'])).toEqual(['ops@example.com']);
    expect(template.ofType('AWS::DynamoDB::GlobalTable').map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(['Delete']);
    expect(new Set(template.ofType('AWS::Logs::LogGroup').map(({ Properties }) => Properties['RetentionInDays']))).toEqual(new Set([7]));
  });

  describe('of a large stage', () => {
    const backupVaultArn = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:switchboard-copies';
    const scale = { workers: { 'campaign-blocks': 200, 'messaging-updates': 30 }, accountConcurrency: 2_000, duePartitions: 64 };
    const template = templateOf(app, { ...scale, publishEvents: true, backupVaultArn, backupDays: 14 }, { nag: true });
    const functions = template.ofType('AWS::Lambda::Function');
    const named = (name: string) => functions.find(({ Properties }) => Properties['FunctionName'] === `switchboard-${name}`);

    test('workers reach their queue and their reserved concurrency; a name without a queue, and more than the account has, are refused', () => {
      const sources = template.ofType('AWS::Lambda::EventSourceMapping');
      const concurrencyOf = (name: string): unknown =>
        sources.find(({ Properties }) => leadsTo(template, Properties['FunctionName']) === named(name)?.id)?.Properties['ScalingConfig'];
      expect(['campaign-blocks', 'messaging-updates', 'messaging-statuses'].map(concurrencyOf)).toEqual([
        { MaximumConcurrency: 200 },
        { MaximumConcurrency: 30 },
        { MaximumConcurrency: 10 },
      ]);
      expect(named('campaign-blocks')?.Properties['ReservedConcurrentExecutions']).toBe(200);
      expect(() => templateOf(app, { workers: { 'campaign-block': 200 } })).toThrow(
        /workers: no queue has the workers campaign-block; there are/,
      );
      expect(() => templateOf(app, { workers: { 'campaign-blocks': 900 } })).toThrow(
        /workers, reserved: accountConcurrency, 1000, is too small/,
      );
    });

    test('every function that writes to the table spreads due work alike, and events reach the bus only where the stage says so', () => {
      const variables = functions.map(
        ({ Properties }) => z.object({ Variables: z.record(z.string(), z.unknown()) }).parse(Properties['Environment']).Variables,
      );
      const withTable = variables.filter((each) => 'TABLE_NAME' in each);
      expect(withTable.length).toBeGreaterThan(40);
      expect(new Set(withTable.map((each) => each['DUE_PARTITIONS']))).toEqual(new Set(['64']));
      expect(variables.flatMap((each) => each['PUBLISH_EVENTS'] ?? [])).toEqual(['true', 'true']);
    });

    test('a vault elsewhere gets a copy of the table every day; without one AWS Backup has no part in the stack', () => {
      const ofBackup = (of: typeof template): string[] =>
        of.resources.flatMap(({ Type }) => (Type.startsWith('AWS::Backup::') ? [Type] : []));
      expect(ofBackup(templateOf(fixture))).toEqual([]);
      expect(template.refused).toBeUndefined();
      expect(ofBackup(template).toSorted()).toEqual([
        'AWS::Backup::BackupPlan',
        'AWS::Backup::BackupSelection',
        'AWS::Backup::BackupVault',
      ]);
      expect(template.ofType('AWS::Backup::BackupPlan')[0]?.Properties['BackupPlan']).toMatchObject({
        BackupPlanRule: [
          {
            ScheduleExpression: 'cron(0 3 * * ? *)',
            Lifecycle: { DeleteAfterDays: 7 },
            CopyActions: [{ DestinationBackupVaultArn: backupVaultArn, Lifecycle: { DeleteAfterDays: 14 } }],
          },
        ],
      });
      const [table] = template.ofType('AWS::DynamoDB::GlobalTable');
      const [selection] = template.ofType('AWS::Backup::BackupSelection');
      const { Resources, IamRoleArn } = z
        .object({ Resources: z.array(z.unknown()), IamRoleArn: z.unknown() })
        .parse(selection?.Properties['BackupSelection']);
      expect(Resources.map(referred)).toEqual([table?.id]);
      const role = template.resources.find(({ id }) => id === referred(IamRoleArn));
      expect(JSON.stringify(role?.Properties['AssumeRolePolicyDocument'])).toContain('backup.amazonaws.com');
      const [vault] = template.ofType('AWS::Backup::BackupVault');
      expect([vault?.Properties['BackupVaultName'], vault?.DeletionPolicy]).toEqual(['switchboard', 'RetainExceptOnCreate']);
      const restored = { restoredTable: 'switchboard-restored', restoredStream: '2026-11-21T12:00:00.000' };
      const selections = templateOf(fixture, { backupVaultArn, ...restored }).ofType('AWS::Backup::BackupSelection');
      expect(JSON.stringify(selections)).toContain(':table/switchboard-restored');
    });
  });

  test('after a restore the stack uses the restored table, its stream and its indexes, and makes none of its own', () => {
    const template = templateOf(fixture, { restoredTable: 'switchboard-restored', restoredStream: '2026-11-21T12:00:00.000' });
    expect(template.ofType('AWS::DynamoDB::GlobalTable')).toEqual([]);
    const all = JSON.stringify(
      ['AWS::Lambda::EventSourceMapping', 'AWS::IAM::Role', 'AWS::Lambda::Function'].flatMap((type) => template.ofType(type)),
    );
    expect(all).toContain(':table/switchboard-restored/stream/2026-11-21T12:00:00.000');
    expect(all).toContain(':table/switchboard-restored/index/due');
    expect(all).toContain('"TABLE_NAME":"switchboard-restored"');
    expect(() => templateOf(fixture, { restoredTable: 'switchboard-restored' })).toThrow(/needs restoredStream/);
    // each function knows by these that its table is a copy, and may read whether that is open
    const copy = 'switchboard-restored/2026-11-21T12:00:00.000';
    const functions = template.ofType('AWS::Lambda::Function').map(({ Properties }) => JSON.stringify(Properties));
    expect(functions.filter((each) => !each.includes(`"RESTORED_TABLE":"${copy}"`))).toEqual([]);
    const roles = template.ofType('AWS::IAM::Role').filter(({ Properties }) => JSON.stringify(Properties).includes('logs:PutLogEvents'));
    expect(roles.filter(({ Properties }) => !JSON.stringify(Properties).includes('"dynamodb:LeadingKeys":["RESTORED"]'))).toEqual([]);
    expect(template.outputs['RestoredCopy']?.Value).toBe(copy);
    expect(JSON.stringify(templateOf(fixture).resources)).not.toContain('RESTORED');
  });

  test('a domain gets its mapping without a path, and every link names it', () => {
    const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/1234-abcd';
    const template = templateOf(fixture, { domainName: 'api.example.com', certificateArn });
    const [domain] = template.ofType('AWS::ApiGatewayV2::DomainName');
    expect(domain?.Properties).toMatchObject({
      DomainName: 'api.example.com',
      DomainNameConfigurations: [{ CertificateArn: certificateArn }],
    });
    expect(template.ofType('AWS::ApiGatewayV2::ApiMapping').map(({ Properties }) => Properties['ApiMappingKey'])).toEqual([undefined]);
    expect(Object.keys(template.outputs)).toContain('DomainTarget');
    expect(template.outputs['ApiUrl']?.Value).toBe('https://api.example.com');
    expect(() => templateOf(fixture, { domainName: 'api.example.com' })).toThrow(/certificateArn/);
  });

  test('without origins the API knows no CORS', () => {
    const [api] = templateOf(fixture).ofType('AWS::ApiGatewayV2::Api');
    expect(api?.Properties['CorsConfiguration']).toBeUndefined();
  });
});
