import { Duration, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { BucketAction, BucketSpec } from '../../shared/contract/resource.ts';
import { uploadHeaders } from '../../shared/objects/upload-headers.ts';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/**
 * The pages of the product's own site. The name that CloudFront gives it is known only after the deployment, and what permits an upload is its
 * signed address: so any name of CloudFront's stands for it.
 */
const siteOrigins = ({ site, siteDomainName: name }: Settings): string[] =>
  site ? [name === undefined ? 'https://*.cloudfront.net' : `https://${name}`] : [];

/** A private bucket. Browsers of the allowed origins upload to presigned URLs; incomplete uploads are deleted after a day. */
export const makeBucket = (stack: Stack, settings: Settings, spec: BucketSpec, isForPages: boolean): Bucket => {
  const origins = [...settings.corsOrigins, ...(isForPages ? siteOrigins(settings) : [])];
  const retentionDays = spec.retentionDays ?? settings.fileRetentionDays;
  return new Bucket(stack, idOf(spec.name, 'bucket'), {
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    encryption: BucketEncryption.S3_MANAGED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    lifecycleRules: [
      { id: 'unfinished-uploads', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ...(spec.stays ? [] : [{ id: 'kept-for-a-while', expiration: Duration.days(retentionDays) }]),
    ],
    ...(origins.length > 0
      ? {
          cors: [
            {
              allowedOrigins: origins,
              allowedMethods: [HttpMethods.GET, HttpMethods.HEAD, HttpMethods.PUT],
              allowedHeaders: uploadHeaders,
              maxAge: 3_600,
            },
          ],
        }
      : {}),
    // CloudFormation never deletes a bucket with objects in it; the operator empties it first
    removalPolicy: settings.keepData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
  });
};

const objectActions = { get: 's3:GetObject', put: 's3:PutObject', delete: 's3:DeleteObject' };

export const bucketStatement = (bucket: Bucket, actions: readonly BucketAction[]): PolicyStatement =>
  new PolicyStatement({
    actions: actions.map((action) => objectActions[action]),
    resources: [bucket.arnForObjects('*')],
  });
