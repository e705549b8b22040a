import { describe, expect, test } from 'vitest';
import { mediaBucket } from '../../functions/media/contract/bucket.ts';
import { context } from '../../shared/contract/context.ts';
import { apiReferenceContext } from '../../functions/api-reference/context.ts';
import { consoleSite, siteContext } from '../../functions/site/context.ts';
import { sessionsContext } from '../../functions/sessions/context.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import { siteHeaders, withDialog } from '../../shared/contract/site.ts';
import { edgeFunction } from '../support/site-edge.ts';
import { statementsOf, templateOf } from './template.ts';

/** The pages on AWS: a private bucket behind CloudFront, one origin with the API, the declared headers. */
const contexts = [siteContext, sessionsContext];
const template = templateOf(contexts, { site: true }, { nag: true });
const [distribution] = template.ofType('AWS::CloudFront::Distribution');
const config = (distribution?.Properties['DistributionConfig'] ?? {}) as {
  DefaultCacheBehavior: Record<string, unknown>;
  CacheBehaviors: { PathPattern: string; AllowedMethods: string[]; ResponseHeadersPolicyId: unknown; CachePolicyId?: string }[];
  Origins: { S3OriginConfig?: object; OriginAccessControlId?: unknown; CustomOriginConfig?: { OriginProtocolPolicy: string } }[];
};

describe('a site', () => {
  test('is off by default, and then nothing of it is made', () => {
    expect(templateOf(contexts).ofType('AWS::CloudFront::Distribution')).toEqual([]);
  });

  test('comes from a private bucket that CloudFront alone may read; everything else from the API, uncached and by any method', () => {
    expect(config.CacheBehaviors.map(({ PathPattern }) => PathPattern)).toEqual([
      'console/settings/numbers/signup',
      'console',
      'console/*',
    ]);
    // by default those that read
    for (const { AllowedMethods } of config.CacheBehaviors) expect(AllowedMethods ?? ['GET', 'HEAD']).toEqual(['GET', 'HEAD']);
    expect(config.DefaultCacheBehavior).toMatchObject({
      ViewerProtocolPolicy: 'https-only',
      CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
    });
    expect(
      config.Origins.map(
        ({ CustomOriginConfig, OriginAccessControlId }) => CustomOriginConfig?.OriginProtocolPolicy ?? typeof OriginAccessControlId,
      ),
    ).toEqual(['https-only', 'object']);
    const buckets = template.ofType('AWS::S3::Bucket');
    expect(buckets).toHaveLength(1);
    expect(buckets[0]?.Properties['PublicAccessBlockConfiguration']).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
    const policy = JSON.stringify(template.ofType('AWS::S3::BucketPolicy').map(({ Properties }) => Properties));
    expect(policy).toContain('"Service":"cloudfront.amazonaws.com"');
    expect(policy).toContain('"s3:GetObject"');
    expect(policy).toContain('AWS:SourceArn');
    // a missing file is 404 to who may list; the query by which S3 lists reaches no bucket, and no path of the site is its root
    const lists = statementsOf(template).filter(({ Action }) => Action.includes('s3:ListBucket'));
    expect(lists.map(({ type, Effect }) => [type, Effect])).toEqual([['AWS::S3::BucketPolicy', 'Allow']]);
    for (const { CachePolicyId, PathPattern } of config.CacheBehaviors) {
      expect(CachePolicyId).toBe('658327ea-f89d-4fab-a63d-7e88639e58f6');
      expect(PathPattern).toMatch(/^console/);
    }
  });

  test('has the files of the reference cached by CloudFront, as strangers would make the operator pay for each call', () => {
    const [made] = templateOf([...contexts, apiReferenceContext], { site: true }).ofType('AWS::CloudFront::Distribution');
    const { CacheBehaviors, Origins } = (made?.Properties['DistributionConfig'] ?? {}) as typeof config;
    expect(CacheBehaviors.slice(0, 2)).toMatchObject(
      ['docs', 'docs/*'].map((PathPattern) => ({ PathPattern, CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6', Compress: true })),
    );
    expect(Origins).toHaveLength(config.Origins.length);
  });

  test('has every declared header, on AWS as on the laptop', () => {
    const policy = JSON.stringify(template.ofType('AWS::CloudFront::ResponseHeadersPolicy').map(({ Properties }) => Properties));
    for (const [name, value] of Object.entries(consoleSite.headers)) {
      if (['x-content-type-options', 'x-frame-options', 'strict-transport-security'].includes(name)) continue;
      expect(policy, name).toContain(JSON.stringify(value).slice(1, -1));
    }
    expect(policy).toMatch(/"ContentTypeOptions":\{"Override":true\}.*"FrameOption":"DENY".*"AccessControlMaxAgeSec":31536000/);
    const { 'content-security-policy': strict, ...others } = siteHeaders;
    expect(consoleSite.headers).toMatchObject(others);
    // to the strict policy it adds styles by the hash of their text, and nothing else
    const added = (consoleSite.headers['content-security-policy'] ?? '').replace(/ 'sha256-[A-Za-z0-9+/=]{44}'/g, '');
    expect(added).toBe(strict);
    expect(consoleSite.headers['content-security-policy']).toMatch(/script-src 'self';.*connect-src 'self';/);
  });

  test('lets the script of the provider in on the page that opens its dialog, and on no other', () => {
    const policies = template.ofType('AWS::CloudFront::ResponseHeadersPolicy');
    const ofBehavior = config.CacheBehaviors.map(({ ResponseHeadersPolicyId: policy }) =>
      JSON.stringify(policies.find(({ id }) => JSON.stringify(policy).includes(`"${id}"`))?.Properties),
    );
    expect(ofBehavior.map((policy) => /script-src 'self' https:\/\/connect\.facebook\.net;/.test(policy))).toEqual([true, false, false]);
    expect(ofBehavior.map((policy) => policy.includes('facebook'))).toEqual([true, false, false]);
    expect(ofBehavior.map((policy) => policy.includes('same-origin-allow-popups'))).toEqual([true, false, false]);
    // all else is as strict
    const dialog = (consoleSite.dialogPages ?? [])[0];
    const strict = consoleSite.headers['content-security-policy'] ?? '';
    const policy = dialog ? (withDialog(consoleSite.headers, dialog)['content-security-policy'] ?? '') : '';
    expect(policy.replace(/ https:\/\/[a-z.]+/g, '').replace(' frame-src;', '')).toBe(strict);
  });

  test('may show files of the bucket that it names, and upload to those it names, by their own host names', () => {
    const own = context({ name: 'files', purpose: 'Files', buckets: [mediaBucket], functions: [] });
    const withBucket = templateOf([...contexts, own], { site: true });
    const policy = JSON.stringify(withBucket.ofType('AWS::CloudFront::ResponseHeadersPolicy').map(({ Properties }) => Properties));
    expect(policy).toMatch(
      /img-src 'self' https:\/\/",\{"Fn::GetAtt":\["\w+","RegionalDomainName"\]\}," blob: data:; media-src 'self' https:/,
    );
    expect(policy).toMatch(/connect-src 'self' https:\/\/",\{"Fn::GetAtt":\["\w+","RegionalDomainName"\]\},"; manifest-src/);
    // a page uploads to a signed address: the answer is for pages of the site
    const rules = JSON.stringify(withBucket.ofType('AWS::S3::Bucket').map(({ Properties }) => Properties['CorsConfiguration'] ?? null));
    expect(rules).toMatch(/"AllowedMethods":\["GET","HEAD","PUT"\],"AllowedOrigins":\["https:\/\/\*\.cloudfront\.net"\]/);
    expect(template.ofType('AWS::S3::Bucket').some(({ Properties }) => 'CorsConfiguration' in Properties)).toBe(false);
  });

  test('leads the root to it, and gives a page for what has no file ending', () => {
    const run = (name: string, uri: string): unknown =>
      edgeFunction(name, template)({ request: { uri, headers: { host: { value: 'console.example.com' } } }, viewer: { ip: '192.0.2.1' } });
    expect(run('api', '/')).toMatchObject({ statusCode: 302, headers: { location: { value: '/console/' } } });
    expect(run('api', '/api/v1/me')).toMatchObject({ uri: '/api/v1/me', headers: { 'x-viewer-address': { value: '192.0.2.1' } } });
    expect(run('console', '/console/inbox/12')).toMatchObject({ uri: '/console/index.html' });
    expect(run('console', '/console/app.js')).toMatchObject({ uri: '/console/app.js' });
  });

  test('is named to the functions as a setting: no request says under which origin pages call', () => {
    const urls = template
      .ofType('AWS::Lambda::Function')
      .map(
        ({ Properties }) => (Properties['Environment'] as { Variables: Record<string, unknown> } | undefined)?.Variables['SITE_BASE_URL'],
      )
      .filter((url) => url !== undefined);
    expect(JSON.stringify(urls[0])).toContain('DomainName');
  });

  test('shows itself to the API by a secret that the stack makes, which no template, output or caller has', () => {
    const secret = template.ofType('AWS::SecretsManager::Secret').find(({ id }) => id.startsWith('SiteEntrance'));
    const isReference = new RegExp(`resolve:secretsmanager:.*"Ref":"${secret?.id}".*:SecretString:secret`);
    const apiOrigin = config.Origins.find(({ CustomOriginConfig }) => CustomOriginConfig);
    expect(JSON.stringify(apiOrigin)).toMatch(/"HeaderName":"x-entrance-secret"/);
    expect(JSON.stringify(apiOrigin)).toMatch(isReference);
    const answering = declarationsOf(contexts).http.map(({ name }) => `switchboard-${name}`);
    const functions = template
      .ofType('AWS::Lambda::Function')
      .filter(({ Properties }) => answering.includes(String(Properties['FunctionName'])));
    expect(functions).toHaveLength(answering.length);
    for (const { Properties } of functions) expect(JSON.stringify(Properties)).toMatch(isReference);
    expect(JSON.stringify(template.outputs)).not.toContain('SecretString');
  });

  test('may be in two regions of one account under one stack name: what CloudFront names has the region', () => {
    const names = ['AWS::CloudFront::ResponseHeadersPolicy', 'AWS::CloudFront::OriginAccessControl', 'AWS::CloudFront::Function'].flatMap(
      (type) => template.ofType(type).map(({ Properties }) => JSON.stringify(Properties['Name'] ?? Object.values(Properties)[0])),
    );
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) expect(name).toContain('{"Ref":"AWS::Region"}');
  });

  test('has the firewall that the stage names', () => {
    const siteWebAclArn = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/pages/11111111-2222-3333-4444-555555555555';
    const [made] = templateOf(contexts, { site: true, siteWebAclArn }).ofType('AWS::CloudFront::Distribution');
    expect(made?.Properties['DistributionConfig']).toMatchObject({ WebACLId: siteWebAclArn });
  });

  test('cdk-nag finds nothing without an argument', () => {
    expect(template.refused).toBeUndefined();
  });
});
