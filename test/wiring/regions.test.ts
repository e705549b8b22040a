import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { parseSettings } from '../../lib/aws/settings.ts';
import { fixture } from './fixture/contexts.ts';
import { leadsTo, templateOf } from './template.ts';

const region = { Ref: 'AWS::Region' };

describe('a stage with a copy in another region', () => {
  const template = templateOf(app, { replicaRegions: 'eu-west-1', site: true }, { nag: true });
  const [table] = template.ofType('AWS::DynamoDB::GlobalTable');

  test('has a replica of the table there, protected and restorable as the table itself, each with its stream', () => {
    expect(table?.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    const [own, replica, ...others] = z.array(z.record(z.string(), z.unknown())).parse(table?.Properties['Replicas']);
    expect(others).toEqual([]);
    expect([own?.['Region'], replica?.['Region']]).toEqual([region, 'eu-west-1']);
    const { Region: _own, ...ofOwn } = own ?? {};
    const { Region: _there, ...ofReplica } = replica ?? {};
    expect(ofReplica).toMatchObject({
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: 35 },
    });
    expect(ofOwn).toMatchObject(ofReplica);
  });

  test('has every secret that data is sealed or hashed with there too, and not that of its own distributions', () => {
    const replicated = template
      .ofType('AWS::SecretsManager::Secret')
      .map(({ id, Properties }) => [id.replace(/Secret.*$/, ''), Properties['ReplicaRegions']]);
    const there = [{ Region: 'eu-west-1' }];
    expect(Object.fromEntries(replicated)).toEqual({
      Cursor: there,
      Erasure: there,
      Sealing: there,
      StoreplatformApp: there,
      SiteEntrance: undefined,
    });
  });

  test('has nothing there by default', () => {
    const none = templateOf(fixture);
    expect(none.ofType('AWS::DynamoDB::GlobalTable')[0]?.Properties['Replicas']).toHaveLength(1);
    expect(JSON.stringify(none.ofType('AWS::SecretsManager::Secret'))).not.toContain('ReplicaRegions');
    expect(() => parseSettings({ replicaRegions: 'Ireland' })).toThrow(/replicaRegions\.0: must be regions such as eu-west-1/);
  });

  test('has no finding of cdk-nag without an argument', () => {
    expect(template.refused).toBeUndefined();
  });
});

describe('the same stage in the other region', () => {
  const label = '2026-11-28T12:00:00.000';
  const replica = { restoredTable: 'switchboard-TableCD117FA1-1A2B3C', restoredStream: label, restoredReplica: true };
  const sourceOf = (settings: Record<string, unknown>) => {
    const template = templateOf(fixture, settings);
    const consumer = template
      .ofType('AWS::Lambda::Function')
      .find(({ Properties }) => Properties['FunctionName'] === 'switchboard-changes-stream');
    return template
      .ofType('AWS::Lambda::EventSourceMapping')
      .find(({ Properties }) => leadsTo(template, Properties['FunctionName']) === consumer?.id)?.Properties;
  };

  test('uses the replica and its stream, from now on: what the stream has was carried out in the region that it comes from', () => {
    const source = sourceOf(replica);
    expect(JSON.stringify(source?.['EventSourceArn'])).toContain(`table/${replica.restoredTable}/stream/${label}`);
    expect(source?.['StartingPosition']).toBe('LATEST');
    // of a table that was restored the stream is new, and all that is in it is still to be done
    expect(sourceOf({ ...replica, restoredReplica: false })?.['StartingPosition']).toBe('TRIM_HORIZON');
    expect(() => parseSettings({ restoredReplica: true })).toThrow(/restoredReplica: is said of restoredTable/);
  });

  test('makes no table, and is closed until it is opened', () => {
    const template = templateOf(fixture, { ...replica, replicaRegions: 'eu-central-1' });
    expect(template.ofType('AWS::DynamoDB::GlobalTable')).toEqual([]);
    for (const { Properties } of template.ofType('AWS::Lambda::Function'))
      expect(JSON.stringify(Properties['Environment'])).toContain(`"RESTORED_TABLE":"${replica.restoredTable}/${label}"`);
  });

  test('shares no name with the first one: what an account has once is named with its region, all else belongs to a region or has no name', () => {
    const template = templateOf(app, {
      site: true,
      dashboard: true,
      gradual: true,
      alarmEmail: 'ops@example.com',
      monthlyBudget: 250,
      receiverBaseUrl: 'https://hooks.example.com',
      receiverCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/1b2c3d4e-0000-1111-2222-333344445555',
    });
    const names = template.resources.flatMap(({ Type, Properties }) =>
      /^AWS::(CloudFront|Budgets|IAM|S3|CloudWatch::Dashboard)/.test(Type) ? namesIn(Type, Properties) : [],
    );
    expect(new Set(names.map(([type]) => type))).toEqual(
      new Set([
        'AWS::Budgets::Budget',
        'AWS::CloudFront::Function',
        'AWS::CloudFront::OriginAccessControl',
        'AWS::CloudFront::ResponseHeadersPolicy',
        'AWS::CloudWatch::Dashboard',
      ]),
    );
    for (const [type, name] of names) expect(JSON.stringify(name), type).toContain(JSON.stringify(region));
  });
});

/** What a resource is named by its template, wherever its properties have it. */
function namesIn(type: string, value: unknown): [type: string, name: unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]): [string, unknown][] =>
    /^(Name|BudgetName|DashboardName|RoleName|BucketName|ManagedPolicyName)$/.test(key) ? [[type, each]] : namesIn(type, each),
  );
}
