import { Aws, CfnOutput, Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import {
  ApiMapping,
  CfnIntegration,
  CfnRoute,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { HttpFunction } from '../../shared/contract/context.ts';
import { corsRules } from '../cors-rules.ts';
import { type Address, apiKeys } from './addresses.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/**
 * Requests per second of all callers together: what the functions of an account with this quota answer, each in some 30 ms, beside its workers.
 * The quota of an account for its APIs is 10,000.
 */
export const apiThrottle = ({ accountConcurrency }: Pick<Settings, 'accountConcurrency'>): { rateLimit: number; burstLimit: number } => {
  const rateLimit = Math.min(Math.max(2 * accountConcurrency, 200), 10_000);
  return { rateLimit, burstLimit: Math.min(2 * rateLimit, 10_000) };
};

/** The HTTP API: each path by name, so that an unknown address reaches only the fallback, never a function that reads the table. */
export const makeApi = (stack: Stack, settings: Settings): { api: HttpApi; stage: HttpStage } => {
  const api = new HttpApi(stack, 'Api', {
    apiName: settings.stackName,
    createDefaultStage: false,
    // the domain's entrance can have a web application firewall, which the default one would go around
    disableExecuteApiEndpoint: !settings.defaultEndpoint,
    ...(settings.corsOrigins.length > 0 ? { corsPreflight: cors(settings.corsOrigins) } : {}),
  });
  const logs = new LogGroup(stack, 'ApiLogs', { retention: settings.logRetentionDays, removalPolicy: RemovalPolicy.DESTROY });
  const stage = new HttpStage(stack, 'ApiStage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle: apiThrottle(settings),
    accessLogSettings: { destination: new LogGroupLogDestination(logs), format: AccessLogFormat.custom(JSON.stringify(accessLog)) },
  });
  addDomain(stack, settings, api, stage);
  return { api, stage };
};

/** One route per path of a function, those of its own URL too, all through one integration, with one permission for all of them. */
export const serveRoutes = (stack: Stack, api: HttpApi, spec: HttpFunction, target: IFunction, addresses: readonly Address[]): void => {
  const keys = apiKeys(spec, addresses);
  if (keys.length === 0) return;
  const integration = new CfnIntegration(stack, idOf(spec.name, 'integration'), {
    apiId: api.apiId,
    integrationType: 'AWS_PROXY',
    integrationUri: target.functionArn,
    payloadFormatVersion: '2.0',
  });
  target.addPermission('Api', {
    principal: new ServicePrincipal('apigateway.amazonaws.com'),
    sourceArn: stack.formatArn({ service: 'execute-api', resource: api.apiId, resourceName: '*' }),
  });
  for (const key of keys) {
    new CfnRoute(stack, routeId(key), {
      apiId: api.apiId,
      routeKey: key,
      target: `integrations/${integration.ref}`,
      // the function authenticates: docs/decisions/credential-check-in-one-write.md
      authorizationType: 'NONE',
    });
  }
};

export const apiUrl = (stack: Stack, api: HttpApi): string => `https://${api.apiId}.execute-api.${stack.region}.${Aws.URL_SUFFIX}`;

/** The URL by which the outside knows the API. */
export const publicUrl = (stack: Stack, settings: Settings, api: HttpApi): string =>
  settings.publicBaseUrl ?? (settings.domainName ? `https://${settings.domainName}` : apiUrl(stack, api));

/** A domain of the operator's own, without a path, so that the API sees the paths that callers sign. */
function addDomain(stack: Stack, settings: Settings, api: HttpApi, stage: HttpStage): void {
  const { domainName, certificateArn } = settings;
  if (domainName === undefined || certificateArn === undefined) return;
  const domain = new DomainName(stack, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(stack, 'Certificate', certificateArn),
  });
  new ApiMapping(stack, 'DomainMapping', { api, domainName: domain, stage });
  new CfnOutput(stack, 'DomainTarget', {
    value: domain.regionalDomainName,
    description: `The target of a CNAME or alias record for ${domainName}`,
  });
  new CfnOutput(stack, 'DomainTargetZone', {
    value: domain.regionalHostedZoneId,
    description: 'The hosted zone of that target, for an alias',
  });
}

/**
 * The fields of the access log: the route as declared, not the path or query as sent, which may contain a token; no address of the caller.
 */
const accessLog = {
  requestId: '$context.requestId',
  time: '$context.requestTime',
  routeKey: '$context.routeKey',
  method: '$context.httpMethod',
  status: '$context.status',
  latencyMs: '$context.responseLatency',
  integrationMs: '$context.integrationLatency',
  responseBytes: '$context.responseLength',
  integrationStatus: '$context.integrationStatus',
  integrationError: '$context.integrationErrorMessage',
};

function cors(origins: readonly string[]) {
  return {
    allowOrigins: [...origins],
    allowMethods: corsRules.methods.map((method) => CorsHttpMethod[method]),
    allowHeaders: [...corsRules.allowHeaders],
    exposeHeaders: [...corsRules.exposeHeaders],
    maxAge: Duration.seconds(corsRules.maxAgeSeconds),
  };
}

/** `ANY /api/v1/contacts/{id}` makes `RouteAnyApiV1ContactsById`: ids survive a change in the order of routes. */
function routeId(key: string): string {
  const words = key.replace(/\{([^}]+)\}/g, 'by-$1').split(/[^A-Za-z0-9]+/);
  return idOf('route', ...words.filter((word) => word !== '').map((word) => (/^[A-Z]+$/.test(word) ? word.toLowerCase() : word)));
}
