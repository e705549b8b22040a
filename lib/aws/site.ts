import { CfnOutput, Duration, Fn, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AccessLevel,
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  HeadersFrameOption,
  HeadersReferrerPolicy,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  ResponseHeadersPolicy,
  S3OriginAccessControl,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { BlockPublicAccess, Bucket, BucketEncryption, type IBucket, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { FunctionSpec } from '../../shared/contract/context.ts';
import { entranceHeader, viewerHeader } from '../../shared/http/entrance.ts';
import { type SiteSpec, withDialog, withFilesFrom, withConnectionsTo } from '../../shared/contract/site.ts';
import { apiUrl } from './api.ts';
import type { Declarations } from './declared.ts';
import { viewerRequest } from './entrance.ts';
import { idOf, siteBucketOutput, siteBuildOutput } from './naming.ts';
import type { Settings } from './settings.ts';

/** Which build of a site is deployed beside the stack; undefined where none was made. */
export type BuildOf = (spec: SiteSpec) => string | undefined;

/** Where the local runner finds the sites: it reads the template alone. */
export const sitesMetadata = 'switchboard:sites';

/**
 * The sites and the API on one origin: CloudFront takes a site's path from its private bucket, with the site's headers, and everything else
 * from the API, uncached but for static routes. Only with the setting `site`. Gives their URL. See docs/decisions/sites.md.
 */
export const makeSites = (
  stack: Stack,
  settings: Settings,
  { sites, functions }: Pick<Declarations, 'sites' | 'functions'>,
  api: HttpApi,
  buckets: ReadonlyMap<string, Bucket>,
  { buildOf, entranceSecret, connectsTo }: { buildOf: BuildOf; entranceSecret: string | undefined; connectsTo: readonly string[] },
): string | undefined => {
  stack.templateOptions.metadata = { ...stack.templateOptions.metadata, [sitesMetadata]: sites };
  const [first] = sites;
  if (!settings.site || !first || entranceSecret === undefined) return undefined;
  const { siteDomainName: domainName, siteCertificateArn: certificateArn } = settings;
  const apiOrigin = new HttpOrigin(Fn.select(2, Fn.split('/', apiUrl(stack, api))), {
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    customHeaders: { [entranceHeader]: entranceSecret },
  });
  const distribution = new Distribution(stack, 'Site', {
    comment: settings.stackName,
    httpVersion: HttpVersion.HTTP2_AND_3,
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    ...(settings.siteWebAclArn === undefined ? {} : { webAclId: settings.siteWebAclArn }),
    ...(domainName !== undefined && certificateArn !== undefined
      ? { domainNames: [domainName], certificate: Certificate.fromCertificateArn(stack, 'SiteCertificate', certificateArn) }
      : {}),
    defaultBehavior: {
      origin: apiOrigin,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // a redirect would come after the token was sent in the clear
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      functionAssociations: [viewerRequest(stack, 'api-entrance', apiEntrance(first.path))],
    },
    additionalBehaviors: Object.fromEntries([
      ...staticPaths(functions).map((path): [string, BehaviorOptions] => [path, staticBehavior(apiOrigin)]),
      ...sites.flatMap((spec): [string, BehaviorOptions][] => {
        const originOf = (bucket: { name: string } | undefined): string[] => {
          const made = bucket && buckets.get(bucket.name);
          return made ? [`https://${made.bucketRegionalDomainName}`] : [];
        };
        const headers = withConnectionsTo(withFilesFrom(spec.headers, originOf(spec.filesFrom)[0]), [
          ...(spec.uploadsTo ?? []).flatMap(originOf),
          ...connectsTo,
        ]);
        const behavior = siteBehavior(stack, settings, { ...spec, headers });
        return [
          // before the rest of the site, of which it is a part
          ...(spec.dialogPages ?? []).map((page): [string, BehaviorOptions] => [
            `${spec.path}${page.path}`.slice(1),
            { ...behavior, responseHeadersPolicy: headersPolicy(stack, `${spec.name}-${page.name}`, withDialog(headers, page)) },
          ]),
          ...[spec.path, `${spec.path}/*`].map((path): [string, BehaviorOptions] => [path.slice(1), behavior]),
        ];
      }),
    ]),
  });
  const siteUrl = `https://${domainName ?? distribution.distributionDomainName}`;
  new CfnOutput(stack, 'SiteUrl', {
    value: siteUrl,
    description: 'The URL of the pages, with the API on the same origin',
  });
  for (const spec of sites) {
    const value = buildOf(spec);
    if (value !== undefined)
      new CfnOutput(stack, siteBuildOutput(spec.name), { value, description: `The build of ${spec.folder} that belongs to it` });
  }
  return siteUrl;
};

/** The paths of routes whose answers are the same for all. */
const staticPaths = (functions: readonly FunctionSpec[]): string[] =>
  functions
    .flatMap((spec) => (spec.trigger === 'http' ? Object.values(spec.routes) : []))
    .flatMap(({ path, isStatic }) => (isStatic ? [path.slice(1).replace(/\{\w+\}/g, '*')] : []));

/** Kept by CloudFront as long as the answer says, so that a flood of calls does not reach the function, nor pay for its transfer. */
const staticBehavior = (origin: HttpOrigin): BehaviorOptions => ({
  origin,
  cachePolicy: CachePolicy.CACHING_OPTIMIZED,
  viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
  compress: true,
});

function siteBehavior(stack: Stack, settings: Settings, spec: SiteSpec): BehaviorOptions {
  const bucket = new Bucket(stack, idOf(spec.name, 'site', 'bucket'), {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    removalPolicy: settings.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
  new CfnOutput(stack, siteBucketOutput(spec.name), {
    value: bucket.bucketName,
    description: `The files of ${spec.folder} go here, below ${spec.path.slice(1)}/`,
  });
  return {
    origin: S3BucketOrigin.withOriginAccessControl(bucket as IBucket, {
      originAccessControl: new S3OriginAccessControl(stack, idOf(spec.name, 'site', 'access'), {
        originAccessControlName: globalName(stack, spec.name, 'files'),
      }),
      // to who may list, S3 answers 404 for a missing file in place of 403; no path of the site leads to the list
      originAccessLevels: [AccessLevel.READ, AccessLevel.LIST],
    }),
    cachePolicy: CachePolicy.CACHING_OPTIMIZED,
    viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
    compress: true,
    responseHeadersPolicy: headersPolicy(stack, spec.name, spec.headers),
    functionAssociations: [viewerRequest(stack, `${spec.name}-pages`, pages(spec.path))],
  };
}

/** CloudFront's names are those of the account, in all regions: a second one may hold a copy of the stack. */
const globalName = (stack: Stack, site: string, what: string): string => `${stack.stackName}-${stack.region}-${site}-${what}`;

/** Headers that CloudFront takes by fields of their own, and all others. */
function headersPolicy(stack: Stack, name: string, headers: SiteSpec['headers']): ResponseHeadersPolicy {
  const {
    'content-security-policy': contentSecurityPolicy,
    'x-content-type-options': _nosniff,
    'x-frame-options': _frames,
    'referrer-policy': _referrer,
    'strict-transport-security': _transport,
    ...others
  } = headers;
  return new ResponseHeadersPolicy(stack, idOf(name, 'site', 'headers'), {
    responseHeadersPolicyName: globalName(stack, name, 'headers'),
    securityHeadersBehavior: {
      ...(contentSecurityPolicy === undefined ? {} : { contentSecurityPolicy: { contentSecurityPolicy, override: true } }),
      contentTypeOptions: { override: true },
      frameOptions: { frameOption: HeadersFrameOption.DENY, override: true },
      referrerPolicy: { referrerPolicy: HeadersReferrerPolicy.NO_REFERRER, override: true },
      strictTransportSecurity: { accessControlMaxAge: Duration.seconds(31_536_000), override: true },
    },
    customHeadersBehavior: {
      customHeaders: Object.entries(others).map(([header, value]) => ({ header, value, override: true })),
    },
  });
}

/** The root leads to the first site. The API learns who called; what a caller wrote there itself is overwritten. */
const apiEntrance = (path: string): string => `function handler(event) {
  var request = event.request;
  request.headers['${viewerHeader}'] = { value: event.viewer.ip };
  if (request.uri === '/') return { statusCode: 302, statusDescription: 'Found', headers: { location: { value: '${path}/' } } };
  return request;
}`;

/** A path without a file ending is a page of the site. */
const pages = (path: string): string => `function handler(event) {
  var request = event.request;
  if (!/\\.[A-Za-z0-9]+$/.test(request.uri)) request.uri = '${path}/index.html';
  return request;
}`;
