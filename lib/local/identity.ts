import { asText, textOf } from './json.ts';
import { account, type Identity, region, type Resource } from './template.ts';

/** Where the local twins of AWS answer. */
export interface Endpoints {
  dynamodb: string;
  /** SQS and S3. */
  queues: string;
  /** EventBridge, SES, Lambda Invoke, Secrets Manager. */
  lite: string;
  /** The one port of the product. */
  publicBaseUrl: string;
}

/** Gives every resource the runner creates the name, address or ARN by which functions and other resources mean it. */
export const localIdentity = (endpoints: Endpoints): Identity => {
  const named = (resource: Resource, property: string, resolveValue: Parameters<Identity>[2]): string =>
    textOf(resolveValue(resource.properties[property] ?? null)) ?? resource.id;
  return (resource, attribute, resolveValue) => {
    const name = (property: string): string => named(resource, property, resolveValue);
    switch (resource.type) {
      case 'AWS::DynamoDB::GlobalTable':
      case 'AWS::DynamoDB::Table':
        if (attribute === 'StreamArn') return `${streamPrefix}${name('TableName')}`;
        return attribute === undefined ? name('TableName') : `arn:aws:dynamodb:${region}:${account}:table/${name('TableName')}`;
      case 'AWS::SQS::Queue':
        if (attribute === 'Arn') return queueArn(name('QueueName'));
        return attribute === 'QueueName' ? name('QueueName') : `${endpoints.queues}/${account}/${name('QueueName')}`;
      case 'AWS::S3::Bucket': {
        const bucket = name('BucketName').toLowerCase();
        return attribute === 'Arn' ? `arn:aws:s3:::${bucket}` : bucket;
      }
      case 'AWS::Lambda::Function':
        return attribute === 'Arn' ? functionArn(name('FunctionName')) : name('FunctionName');
      case 'AWS::Lambda::Alias':
        return `${functionArn(asText(resolveValue(resource.properties.FunctionName ?? '')))}:${name('Name')}`;
      case 'AWS::Lambda::Version':
        return functionArn(asText(resolveValue(resource.properties.FunctionName ?? '')));
      case 'AWS::Lambda::Url':
        return attribute === 'FunctionUrl' ? `${endpoints.publicBaseUrl}/` : resource.id;
      case 'AWS::ApiGatewayV2::Api':
        return attribute === 'ApiEndpoint' ? endpoints.publicBaseUrl : resource.id;
      case 'AWS::Events::EventBus':
        return attribute === 'Arn' ? `arn:aws:events:${region}:${account}:event-bus/${name('Name')}` : name('Name');
      case 'AWS::SecretsManager::Secret':
        return `arn:aws:secretsmanager:${region}:${account}:secret:${name('Name')}`;
      default:
        return undefined;
    }
  };
};

/** A table's stream is addressed by the table's name: the emulator's own stream ARNs change with every creation. */
export const streamPrefix = 'local-stream:';

export const queueArn = (name: string): string => `arn:aws:sqs:${region}:${account}:${name}`;

export const functionArn = (name: string): string => `arn:aws:lambda:${region}:${account}:function:${name}`;

/** The last part of an ARN or of a slash-separated address: a queue's, a bus's or a secret's name. */
export const lastPart = (arn: string): string => arn.split(/[:/]/).at(-1) ?? arn;

/** The function a text means: a name, an ARN with or without an alias, or an API integration's invocation URI. */
export const functionNameOf = (text: string): string => /:function:([^:/]+)/.exec(text)?.[1] ?? text.replace(/:.*$/, '');
