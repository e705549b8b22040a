import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { parseSettings } from '../../lib/aws/settings.ts';
import { fixture } from './fixture/contexts.ts';
import { templateOf } from './template.ts';

describe('settings', () => {
  test('none are needed', () => {
    expect(parseSettings({})).toEqual({
      stackName: 'switchboard',
      corsOrigins: [],
      dashboard: false,
      logRetentionDays: 30,
      backupDays: 35,
      // W11: files end by themselves
      fileRetentionDays: 365,
      providerBaseUrl: 'https://graph.facebook.com',
      emailFrom: 'no-reply@example.com',
      keepData: true,
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
    [{ keepData: 'perhaps' }, /keepData: /],
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
