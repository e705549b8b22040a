import { CfnOutput, Fn, type Stack } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { entranceHeader, viewerHeader } from '../../shared/http/entrance.ts';
import { viewerRequest } from './entrance.ts';
import type { Settings } from './settings.ts';

/** A function with a URL of its own, and the paths that it takes. */
export interface ReceiverOrigin {
  url: string;
  paths: readonly string[];
}

/**
 * One host name of the operator's for all receivers of webhooks (setting `receiverBaseUrl`), before the URLs of their functions, which change with
 * a region, an account or a name. Made where the stage has a certificate for it. See docs/decisions/receiver-addresses.md.
 */
export const makeReceiverDomain = (
  stack: Stack,
  { stackName, receiverBaseUrl, receiverCertificateArn }: Settings,
  receivers: readonly ReceiverOrigin[],
  entranceSecret: string | undefined,
): void => {
  if (receiverBaseUrl === undefined || receiverCertificateArn === undefined || entranceSecret === undefined) return;
  const edge = viewerRequest(stack, 'receivers', receiverEntrance);
  const behaviors = receivers.flatMap(({ url, paths }) => {
    const behavior: BehaviorOptions = {
      origin: new HttpOrigin(Fn.select(2, Fn.split('/', url)), {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        customHeaders: { [entranceHeader]: entranceSecret },
      }),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      functionAssociations: [edge],
    };
    return paths.map((path): [string, BehaviorOptions] => [path.slice(1).replace(/\{\w+\}/g, '*'), behavior]);
  });
  const [first] = behaviors;
  if (!first) return;
  const distribution = new Distribution(stack, 'Receivers', {
    comment: `${stackName}, webhooks`,
    httpVersion: HttpVersion.HTTP2_AND_3,
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
    domainNames: [new URL(receiverBaseUrl).hostname],
    certificate: Certificate.fromCertificateArn(stack, 'ReceiversCertificate', receiverCertificateArn),
    // what is no path of a receiver is 404 there
    defaultBehavior: first[1],
    additionalBehaviors: Object.fromEntries(behaviors),
  });
  new CfnOutput(stack, 'ReceiversTarget', {
    value: distribution.distributionDomainName,
    description: `The target of a CNAME or alias record for ${new URL(receiverBaseUrl).hostname}`,
  });
};

/** The functions learn who posts, and believe nothing that a caller wrote there itself. */
const receiverEntrance = `function handler(event) {
  var request = event.request;
  request.headers['${viewerHeader}'] = { value: event.viewer.ip };
  return request;
}`;
