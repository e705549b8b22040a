import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { localIdentity } from '../../lib/local/identity.ts';
import type { Json } from '../../lib/local/json.ts';
import { intrinsics, readTemplate } from '../../lib/local/template.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-template-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const document = {
  Parameters: { Stage: { Type: 'String', Default: 'test' } },
  Conditions: { IsTest: { 'Fn::Equals': [{ Ref: 'Stage' }, 'test'] } },
  Resources: {
    Jobs: { Type: 'AWS::SQS::Queue', Properties: { QueueName: { 'Fn::Sub': '${Stage}-jobs' } } },
    Worker: { Type: 'AWS::Lambda::Function', Properties: {} },
    WorkerLive: { Type: 'AWS::Lambda::Alias', Properties: { FunctionName: { Ref: 'Worker' }, Name: 'live' } },
    Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} },
    Files: { Type: 'AWS::S3::Bucket', Properties: {} },
    Role: { Type: 'AWS::IAM::Role', Properties: {} },
  },
  Outputs: { Address: { Value: { Ref: 'Jobs' }, Export: { Name: 'jobs-address' } } },
};
writeFileSync(join(folder, 'One.template.json'), JSON.stringify(document));
writeFileSync(join(folder, 'One.assets.json'), JSON.stringify({ files: { abc: { source: { path: 'asset.abc' } } } }));

const template = readTemplate(folder);
const endpoints = { dynamodb: 'http://table', queues: 'http://queues', lite: 'http://lite', publicBaseUrl: 'http://127.0.0.1:3000' };
const resolveValue = intrinsics(template, localIdentity(endpoints));

describe('intrinsics resolve to the names of the laptop', () => {
  it.each<[string, Json, Json]>([
    ['a queue by its address', { Ref: 'Jobs' }, 'http://queues/000000000000/test-jobs'],
    ['a queue by its ARN', { 'Fn::GetAtt': ['Jobs', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:test-jobs'],
    ['an attribute in one text', { 'Fn::GetAtt': 'Worker.Arn' }, 'arn:aws:lambda:us-east-1:000000000000:function:Worker'],
    ['an alias by its ARN', { Ref: 'WorkerLive' }, 'arn:aws:lambda:us-east-1:000000000000:function:Worker:live'],
    ['a stream by its table', { 'Fn::GetAtt': ['Table', 'StreamArn'] }, 'local-stream:Table'],
    ['a bucket in small letters', { Ref: 'Files' }, 'files'],
    ['what the laptop does not have by its id', { 'Fn::GetAtt': ['Role', 'Arn'] }, 'Role.Arn'],
    ['a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['a parameter by its default', { Ref: 'Stage' }, 'test'],
    ['Join of a list', { 'Fn::Join': ['-', ['a', { Ref: 'Stage' }]] }, 'a-test'],
    ['Select of Split', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    ['Sub with variables and a literal', { 'Fn::Sub': ['${x}/${Worker}/${!y}', { x: { Ref: 'Stage' } }] }, 'test/Worker/${y}'],
    ['If', { 'Fn::If': ['IsTest', 'yes', 'no'] }, 'yes'],
    ['an import', { 'Fn::ImportValue': 'jobs-address' }, 'http://queues/000000000000/test-jobs'],
    ['a removed property', { a: 1, b: { Ref: 'AWS::NoValue' } }, { a: 1 }],
    ['depth', { list: [{ deep: { Ref: 'Stage' } }] }, { list: [{ deep: 'test' }] }],
  ])('%s', (_, value, expected) => {
    expect(resolveValue(value)).toEqual(expected);
  });

  it('finds the code of a function by its key in the asset bucket', () => {
    expect(template.assetFolder('abc.zip')).toBe(join(folder, 'asset.abc'));
    expect(() => template.assetFolder('other.zip')).toThrow('other.zip');
  });
});
