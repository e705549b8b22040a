import { RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { SecretSpec } from '../../shared/contract/resource.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/** A secret with a random first key, in the form that shared/runtime/seal.ts reads. It is retained with the data that it seals, and copied where that is. */
export const makeSecret = (stack: Stack, settings: Settings, spec: SecretSpec): Secret =>
  new Secret(stack, idOf(spec.name, 'secret'), {
    description: spec.purpose,
    generateSecretString: {
      secretStringTemplate: JSON.stringify({ id: 'k1' }),
      generateStringKey: 'key',
      passwordLength: 64,
      excludePunctuation: true,
    },
    ...(settings.replicaRegions.length > 0 ? { replicaRegions: settings.replicaRegions.map((region) => ({ region })) } : {}),
    removalPolicy: settings.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });

export const readSecretStatement = (secret: Secret): PolicyStatement =>
  new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [secret.secretArn] });
