import { describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { receiverOutput } from '../../lib/aws/naming.ts';
import { parseSettings } from '../../lib/aws/settings.ts';
import { edgeFunction } from '../support/site-edge.ts';
import { referred, templateOf } from './template.ts';

const certificate = 'arn:aws:acm:us-east-1:123456789012:certificate/1b2c3d4e-0000-1111-2222-333344445555';
const receiverBaseUrl = 'https://hooks.example.com';
const receivers = ['messaging-webhook', 'shop-webhook', 'shop-custom'];

describe('the addresses of receivers', () => {
  const template = templateOf(app, { receiverBaseUrl, receiverCertificateArn: certificate }, { nag: true });
  const [distribution] = template.ofType('AWS::CloudFront::Distribution');
  const config = distribution?.Properties['DistributionConfig'] as {
    Aliases: string[];
    Origins: { Id: string; DomainName: unknown; OriginCustomHeaders: { HeaderName: string }[] }[];
    CacheBehaviors: {
      PathPattern: string;
      TargetOriginId: string;
      AllowedMethods: string[];
      ViewerProtocolPolicy: string;
      CachePolicyId: string;
    }[];
  };

  test('are of the operator’s own domain for every company from the first on, in outputs and in what functions give out', () => {
    for (const name of receivers) expect(template.outputs[receiverOutput(name)]?.Value).toBe(receiverBaseUrl);
    const variables = template
      .ofType('AWS::Lambda::Function')
      .flatMap(({ Properties }) => Object.entries((Properties['Environment'] as { Variables: Record<string, unknown> }).Variables))
      .filter(([name]) => name.endsWith('_RECEIVER_BASE_URL'));
    expect(variables.length).toBeGreaterThan(3);
    expect(new Set(variables.map(([, value]) => value))).toEqual(new Set([receiverBaseUrl]));
  });

  test('lead by CloudFront to the function whose path it is, uncached, with any method, over TLS', () => {
    expect(config.Aliases).toEqual(['hooks.example.com']);
    const originOf = (path: string): string | undefined => {
      const target = config.CacheBehaviors.find(({ PathPattern }) => PathPattern === path)?.TargetOriginId;
      const url = JSON.stringify(config.Origins.find(({ Id }) => Id === target)?.DomainName);
      const made = template.ofType('AWS::Lambda::Url').find(({ id }) => url.includes(`"${id}"`));
      const lambda = template.ofType('AWS::Lambda::Function').find(({ id }) => id === referred(made?.Properties['TargetFunctionArn']));
      return lambda && String(lambda.Properties['FunctionName']).replace('switchboard-', '');
    };
    expect(originOf('webhook/messaging/receive/*')).toBe('messaging-webhook');
    expect(new Set(config.CacheBehaviors.map(({ PathPattern }) => originOf(PathPattern)))).toEqual(new Set(receivers));
    for (const behavior of config.CacheBehaviors)
      expect(behavior).toMatchObject({
        AllowedMethods: expect.arrayContaining(['GET', 'POST']),
        ViewerProtocolPolicy: 'https-only',
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
      });
    for (const { OriginCustomHeaders } of config.Origins)
      expect(OriginCustomHeaders.map(({ HeaderName }) => HeaderName)).toEqual(['x-entrance-secret']);
  });

  test('tell the functions who posts', () => {
    const request = { uri: '/webhook/messaging/receive/x', headers: { 'x-viewer-address': { value: '198.51.100.1' } } };
    expect(edgeFunction('receivers', template)({ request, viewer: { ip: '192.0.2.1' } })).toMatchObject({
      headers: { 'x-viewer-address': { value: '192.0.2.1' } },
    });
    const [first] = template
      .ofType('AWS::Lambda::Function')
      .filter(({ Properties }) => Properties['FunctionName'] === 'switchboard-messaging-webhook');
    expect(JSON.stringify(first?.Properties)).toMatch(/"OWN_ENTRANCE_SECRET":\{"Fn::Join"/);
  });

  test('may lead there by something else of the operator’s: then CloudFront is not made', () => {
    const own = templateOf(app, { receiverBaseUrl });
    expect(own.outputs[receiverOutput('shop-webhook')]?.Value).toBe(receiverBaseUrl);
    expect(own.ofType('AWS::CloudFront::Distribution')).toEqual([]);
    expect(() => parseSettings({ receiverCertificateArn: certificate })).toThrow(
      /receiverCertificateArn: is for the host of receiverBaseUrl/,
    );
  });

  test('cdk-nag finds nothing without an argument', () => {
    expect(template.refused).toBeUndefined();
  });
});
