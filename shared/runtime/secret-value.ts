import * as z from 'zod';
import { dynamo } from '../table/client.ts';
import { optionalSetting } from './env.ts';
import { callService } from './service-call.ts';

/**
 * The text of a secret. Throws when it is refused, or fails four times.
 * https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
export const getSecretValue = async (secretId: string): Promise<string> => {
  const region = await dynamo.config.region();
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const answer = await callService({
    service: 'secretsmanager',
    origin: optionalSetting('AWS_ENDPOINT_URL_SECRETS_MANAGER') ?? `https://secretsmanager.${region}.${suffix}`,
    contentType: 'application/x-amz-json-1.1',
    target: 'secretsmanager.GetSecretValue',
    input: { SecretId: secretId },
  });
  return answerSchema.parse(answer).SecretString;
};

const answerSchema = z.object({ SecretString: z.string() });
