import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import { AppSyncAuthorizationType, EventApi } from 'aws-cdk-lib/aws-appsync';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import {
  doorbellAddressVariable,
  doorbellHostVariable,
  doorbellNamespace,
  doorbellPublishVariable,
} from '../../shared/contract/doorbell.ts';
import type { Settings } from './settings.ts';

export interface Doorbell {
  /** For the functions that declare them as settings. */
  variables: Readonly<Record<string, string>>;
  /** For the function that rings it. */
  publishes: PolicyStatement;
  /** To where pages connect. */
  origin: string;
}

/**
 * AppSync Events, with a channel for each company. Pages connect and subscribe by what the authorizer says of their token; the stream consumer
 * publishes by its role, and nothing else does. See docs/decisions/doorbell.md.
 */
export const makeDoorbell = (stack: Stack, settings: Settings, authorizer: IFunction): Doorbell => {
  const { LAMBDA, IAM } = AppSyncAuthorizationType;
  const api = new EventApi(stack, 'Doorbell', {
    apiName: `${settings.stackName}-doorbell`,
    authorizationConfig: {
      authProviders: [
        // cached, the answer to a connection would be that to each channel
        { authorizationType: LAMBDA, lambdaAuthorizerConfig: { handler: authorizer, resultsCacheTtl: Duration.seconds(0) } },
        { authorizationType: IAM },
      ],
      connectionAuthModeTypes: [LAMBDA],
      defaultSubscribeAuthModeTypes: [LAMBDA],
      defaultPublishAuthModeTypes: [IAM],
    },
  });
  const channels = api.addChannelNamespace('DoorbellChannels', { channelNamespaceName: doorbellNamespace });
  new CfnOutput(stack, 'DoorbellHost', { value: api.httpDns, description: 'The host at which the doorbell is rung' });
  return {
    variables: {
      [doorbellPublishVariable]: `https://${api.httpDns}/event`,
      [doorbellAddressVariable]: `wss://${api.realtimeDns}/event/realtime`,
      [doorbellHostVariable]: api.httpDns,
    },
    publishes: new PolicyStatement({ actions: ['appsync:EventPublish'], resources: [channels.channelNamespaceArn] }),
    origin: `wss://${api.realtimeDns}`,
  };
};
