import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { settingsSchema } from '../../lib/aws/settings.ts';
import { templateOf } from './template.ts';

const certificate = (region: string): string => `arn:aws:acm:${region}:123456789012:certificate/1b2c3d4e-0000-1111-2222-333344445555`;

/** Every setting that makes or changes a resource, at another value than its default. */
const settings = {
  stackName: 'switchboard-of-thirty-letters-',
  corsOrigins: 'https://app.example.com',
  alarmEmail: 'ops@example.com',
  monthlyBudget: 250,
  gradual: true,
  dashboard: true,
  tracing: true,
  logRetentionDays: 7,
  backupDays: 14,
  backupVaultArn: 'arn:aws:backup:eu-west-1:210987654321:backup-vault:switchboard-copies',
  replicaRegions: 'eu-west-1,eu-north-1',
  fileRetentionDays: 90,
  domainName: 'api.example.com',
  certificateArn: certificate('eu-central-1'),
  defaultEndpoint: false,
  site: true,
  siteDomainName: 'console.example.com',
  siteCertificateArn: certificate('us-east-1'),
  siteWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/pages/11111111-2222-3333-4444-555555555555',
  receiverBaseUrl: 'https://hooks.example.com',
  receiverCertificateArn: certificate('us-east-1'),
  entranceSecretHash: 'a'.repeat(64),
  publicBaseUrl: 'https://api.example.org',
  accountConcurrency: 2_000,
  workers: { 'campaign-blocks': 200 },
  reserved: { 'messaging-webhook': 600 },
  duePartitions: 64,
  publishEvents: true,
  doorbell: true,
  providerBaseUrl: 'https://graph.example.com',
  providerVersion: 'v25.0',
  emailFrom: 'hello@example.org',
  keepData: false,
  functionSettings: { PROVIDER_BASE_URL: 'https://graph.example.org' },
} as const;
/** They name a table in place of the stack's own: test/wiring/settings.test.ts. */
const ofRestore = ['restoredTable', 'restoredStream', 'restoredReplica'];

describe('a stage with every setting', () => {
  const template = templateOf(app, settings, { nag: true });

  test('has all settings that there are', () => {
    expect([...Object.keys(settings), ...ofRestore].toSorted()).toEqual(Object.keys(settingsSchema.shape).toSorted());
  });

  test('has no finding of cdk-nag without an argument', () => {
    expect(template.refused).toBeUndefined();
  });

  test('has a doorbell that only what carries out changes may ring, that no page subscribes to but by the authorizer, and that pages may connect to', () => {
    const [api] = template.ofType('AWS::AppSync::Api');
    const { EventConfig } = z.object({ EventConfig: z.record(z.string(), z.unknown()) }).parse(api?.Properties);
    expect(EventConfig).toMatchObject({
      AuthProviders: [{ AuthType: 'AWS_LAMBDA', LambdaAuthorizerConfig: { AuthorizerResultTtlInSeconds: 0 } }, { AuthType: 'AWS_IAM' }],
      ConnectionAuthModes: [{ AuthType: 'AWS_LAMBDA' }],
      DefaultPublishAuthModes: [{ AuthType: 'AWS_IAM' }],
      DefaultSubscribeAuthModes: [{ AuthType: 'AWS_LAMBDA' }],
    });
    expect(template.ofType('AWS::AppSync::ChannelNamespace').map(({ Properties }) => Properties['Name'])).toEqual(['company']);
    const ringing = template.ofType('AWS::IAM::Role').filter(({ Properties }) => JSON.stringify(Properties).includes('appsync:'));
    expect(ringing.map(({ id }) => id)).toEqual([expect.stringMatching(/^ChangesRole/), expect.stringMatching(/^CatchUpRole/)]);
    expect(JSON.stringify(ringing)).not.toContain('appsync:*');
    const withVariable = (name: string) =>
      template
        .ofType('AWS::Lambda::Function')
        .flatMap(({ Properties }) => (JSON.stringify(Properties).includes(`"${name}":{`) ? [Properties['FunctionName']] : []));
    expect(withVariable('DOORBELL_PUBLISH_URL')).toEqual([`${settings.stackName}-changes`, `${settings.stackName}-catch-up`]);
    expect(withVariable('DOORBELL_ADDRESS')).toEqual([`${settings.stackName}-sessions-http`]);
    const policies = template.ofType('AWS::CloudFront::ResponseHeadersPolicy').map(({ Properties }) => JSON.stringify(Properties));
    expect(policies.length).toBeGreaterThan(0);
    for (const policy of policies) expect(policy).toMatch(/connect-src 'self'.*wss:\/\/.*Realtime/);
  });

  test('is within what CloudFormation and Lambda take', () => {
    expect(template.largest).toBeLessThanOrEqual(500);
    for (const { Properties } of template.ofType('AWS::Lambda::Function')) {
      expect(String(Properties['FunctionName']).length).toBeLessThanOrEqual(64);
      expect(JSON.stringify(Properties['Environment']).length, String(Properties['FunctionName'])).toBeLessThan(4_096);
    }
    for (const { Properties, id } of template.ofType('AWS::IAM::Role'))
      expect(JSON.stringify(Properties['Policies'] ?? []).length, id).toBeLessThan(10_240);
    expect(Object.keys(template.outputs).length).toBeLessThanOrEqual(200);
  });
});
