import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { addressesOf, apiKeys, routeKey } from '../../lib/aws/addresses.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import { timeoutOf } from '../../lib/aws/function.ts';
import { routePattern, router } from '../../lib/local/routing.ts';
import { app } from '../../functions/app.ts';
import type { Context, FunctionSpec } from '../../shared/contract/context.ts';
import { type ProtectedEntity, protectedPartitions, tableVariable, type Use, variableOf } from '../../shared/contract/resource.ts';
import { duePartitionsVariable } from '../../shared/table/due.ts';
import { registry } from '../../shared/table/entity.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import { fixture } from './fixture/contexts.ts';
import { leadsTo, referred, statementsOf, templateOf } from './template.ts';
import { mendedBy } from '../support/mutation.ts';

const products: [string, readonly Context[]][] = [
  ['the product', app],
  ['a product with one of everything', fixture],
];

describe.each(products)('the template of %s', (_, contexts) => {
  const template = templateOf(contexts, { dashboard: true }, { nag: contexts === app });
  const all = declarationsOf(contexts);
  const functions = template.ofType('AWS::Lambda::Function');
  const queues = template.ofType('AWS::SQS::Queue');
  const sources = template.ofType('AWS::Lambda::EventSourceMapping');
  const named = (name: string) => functions.find(({ Properties }) => Properties['FunctionName'] === `switchboard-${name}`);
  const queueNamed = (name: string) => queues.find(({ Properties }) => Properties['QueueName'] === `switchboard-${name}`);
  const sourceOf = (spec: FunctionSpec | undefined): Record<string, unknown> =>
    sources.find(({ Properties }) => leadsTo(template, Properties['FunctionName']) === named(spec?.name ?? '')?.id)?.Properties ?? {};

  mendedBy(
    'every other function is replaced after the stream consumer and its filter',
    { in: 'lib/aws/changes.ts', replace: 'if (each !== consumer) each.node.addDependency(source);', by: 'if (each === undefined) each;' },
    () => {
      const consumer = named(all.stream?.name ?? '')?.id;
      const source = sources.find(({ Properties }) => leadsTo(template, Properties['FunctionName']) === consumer)?.id;
      // the authorizer stands behind the doorbell, which the consumer rings, and has nothing to do with changes
      const first = [consumer, named(all.authorizer?.name ?? '')?.id];
      const others = functions.filter(({ id, Properties }) => !first.includes(id) && Properties['FunctionName'] !== undefined);
      for (const { DependsOn = [], Properties } of source === undefined ? [] : others)
        expect(DependsOn, String(Properties['FunctionName'])).toContain(source);
    },
  );

  test('the API leads to every declared path and alias, to those of function URLs too, for every method, and to the fallback', () => {
    const keys = [...addressesOf(all.http)].flatMap(([spec, addresses]) => apiKeys(spec, addresses));
    const inTemplate = template.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => String(Properties['RouteKey']));
    expect(inTemplate.toSorted()).toEqual(keys.toSorted());
    const find = router(inTemplate.filter((key) => key !== '$default').map((key) => ({ pattern: routePattern(key), route: key })));
    const integrations = new Map(template.ofType('AWS::ApiGatewayV2::Integration').map(({ id, Properties }) => [id, Properties]));
    const target = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.literal('integrations/'), z.unknown()])]) });
    for (const [spec, addresses] of addressesOf(all.http)) {
      for (const { path, methods } of addresses) {
        const key = find(methods[0] ?? '', path.replace(/\{[^}]+\}/g, '1'))?.route;
        const route = template.ofType('AWS::ApiGatewayV2::Route').find(({ Properties }) => Properties['RouteKey'] === key);
        const integration = integrations.get(referred(target.parse(route?.Properties['Target'])['Fn::Join'][1][1]) ?? '');
        expect(leadsTo(template, integration?.['IntegrationUri']), path).toBe(named(spec.name)?.id);
      }
    }
  });

  test('every function knows the public URL of the API, so that no link is left out', () => {
    for (const { Properties } of functions) {
      const { Variables } = z.object({ Variables: z.record(z.string(), z.unknown()) }).parse(Properties['Environment']);
      expect(Variables['PUBLIC_BASE_URL']).toEqual(template.outputs['ApiUrl']?.Value);
    }
    expect(JSON.stringify(template.outputs['ApiUrl']?.Value)).toMatch(/"https:\/\/",.*"\.execute-api\."/);
  });

  test('no address of a function URL ends in a slash, in outputs and in variables', () => {
    const wholes = template.ofType('AWS::Lambda::Url').map(({ id }) => {
      const parts = { 'Fn::Split': ['/', { 'Fn::GetAtt': [id, 'FunctionUrl'] }] };
      return { 'Fn::Join': ['//', [{ 'Fn::Select': [0, parts] }, { 'Fn::Select': [2, parts] }]] };
    });
    const outputs = Object.values(template.outputs).map(({ Value }) => Value);
    for (const whole of wholes) expect(outputs).toContainEqual(whole);
    const used = JSON.stringify([outputs, functions.map(({ Properties }) => Properties['Environment'])]);
    expect(wholes.reduce((text, whole) => text.replaceAll(JSON.stringify(whole), ''), used)).not.toContain('FunctionUrl');
  });

  test('a function URL says which paths it is for', () => {
    const expected = [...addressesOf(all.http)].flatMap(([spec, addresses]) => {
      const own = addresses.filter(({ via }) => via === 'url').map(routeKey);
      return own.length > 0 ? [[named(spec.name)?.id, own]] : [];
    });
    const urls = template.ofType('AWS::Lambda::Url');
    expect(urls.map((url) => [referred(url.Properties['TargetFunctionArn']), url.Metadata?.['switchboard:routes']])).toEqual(expected);
  });

  test('there is a Lambda for every declared function, with the timeout and memory it needs, and no other', () => {
    for (const spec of all.functions) {
      expect(named(spec.name)?.Properties, spec.name).toMatchObject({
        Timeout: timeoutOf(spec),
        MemorySize: spec.memoryMb ?? 1_024,
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
      });
    }
    expect(functions).toHaveLength(all.functions.length);
  });

  test('its variables are those of what it uses, by the names that shared code reads', () => {
    for (const spec of all.functions) {
      const { Variables } = z
        .object({ Variables: z.record(z.string(), z.unknown()) })
        .parse(named(spec.name)?.Properties['Environment'] ?? { Variables: {} });
      const expected = [
        'METRIC_NAMESPACE',
        'NODE_OPTIONS',
        'PUBLIC_BASE_URL',
        ...spec.uses.flatMap(variableFor),
        ...(spec.trigger === 'queue' ? [variableOf(spec.queue)] : []),
        ...Object.keys({ ...spec.settings, ...spec.urls }),
      ];
      expect(Object.keys(Variables).toSorted(), spec.name).toEqual([...new Set(expected)].toSorted());
      for (const use of spec.uses) {
        if (use.resource === 'queue') {
          expect(referred(Variables[variableOf(use.queue)]), spec.name).toBe(queueNamed(use.queue.name)?.id);
        }
      }
    }
  });

  test('every queue gives up into the dead-letter queue after five tries or more, hides a batch for six times its work, and speaks TLS alone', () => {
    for (const spec of all.queues) {
      const queue = queueNamed(spec.name);
      const redrive = z.object({ deadLetterTargetArn: z.unknown(), maxReceiveCount: z.int() }).parse(queue?.Properties['RedrivePolicy']);
      expect(referred(redrive.deadLetterTargetArn)).toBe(queueNamed('dead-letters')?.id);
      expect(redrive.maxReceiveCount).toBe(spec.maxReceives);
      expect(redrive.maxReceiveCount, spec.name).toBeGreaterThanOrEqual(5);
      expect(queue?.Properties['VisibilityTimeout']).toBe(6 * spec.workSeconds);
    }
    for (const queue of queues) {
      expect(queue.Properties['SqsManagedSseEnabled'], queue.id).toBe(true);
      const denies = statementsOf(template).filter(
        (each) => each.Effect === 'Deny' && each.Resource.some((to) => referred(to) === queue.id),
      );
      expect(denies, queue.id).toHaveLength(1);
    }
  });

  test('every declared queue is worked off by one function, which reports failures one by one', () => {
    expect(all.workers.map(({ queue }) => queue.name).toSorted()).toEqual(all.queues.map(({ name }) => name));
    for (const spec of all.workers) {
      const source = sourceOf(spec);
      expect(referred(source['EventSourceArn']), spec.name).toBe(queueNamed(spec.queue.name)?.id);
      expect(queueNamed(spec.queue.name)?.Properties['VisibilityTimeout'], spec.name).toBeGreaterThanOrEqual(6 * timeoutOf(spec));
      expect(source, spec.name).toMatchObject({
        BatchSize: spec.batchSize,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: spec.maxConcurrency },
      });
    }
  });

  test('the stream is read in order, from its beginning, with failures one by one and a dead-letter queue', () => {
    const spec = all.stream;
    expect(spec).toBeDefined();
    const source = sourceOf(spec);
    expect(source).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      ParallelizationFactor: 1,
      BisectBatchOnFunctionError: true,
      MaximumRetryAttempts: -1,
      MaximumRecordAgeInSeconds: 86_400,
      TumblingWindowInSeconds: 900,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    const target = z.object({ OnFailure: z.object({ Destination: z.unknown() }) }).parse(source['DestinationConfig']);
    expect(referred(target.OnFailure.Destination)).toBe(queueNamed(`${spec?.name}-dead`)?.id);
  });

  test('every schedule wakes its function, and no failed tick is kept beyond its minute', () => {
    const schedules = template.ofType('AWS::Scheduler::Schedule');
    expect(schedules).toHaveLength(all.scheduled.length);
    for (const { name, schedule } of all.scheduled) {
      const made = schedules.find(({ Properties }) => Properties['Name'] === `switchboard-${schedule.name}`);
      expect(leadsTo(template, z.object({ Arn: z.unknown() }).parse(made?.Properties['Target']).Arn)).toBe(named(name)?.id);
      const asynchronous = template
        .ofType('AWS::Lambda::EventInvokeConfig')
        .find(({ Properties }) => referred(Properties['FunctionName']) === named(name)?.id);
      expect(asynchronous?.Properties, name).toMatchObject({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 });
    }
  });

  test('no permission has a wildcard action, and none is for every resource', () => {
    for (const { holder, type, Effect, Action, Resource } of statementsOf(template)) {
      if (Effect !== 'Allow') continue;
      expect(
        Action.filter((action) => action.includes('*')),
        holder,
      ).toEqual([]);
      if (type === 'AWS::IAM::Role') expect(Resource, holder).not.toContain('*');
    }
  });

  test('nothing is traced unless the stage says so; then each function is, and its role may write traces and no more everywhere', () => {
    const modes = (of: typeof template) =>
      new Set(of.ofType('AWS::Lambda::Function').map(({ Properties }) => JSON.stringify(Properties['TracingConfig'])));
    expect(modes(template)).toEqual(new Set([undefined]));
    const traced = templateOf(contexts, { tracing: 'true' }, { nag: contexts === app });
    expect(modes(traced)).toEqual(new Set(['{"Mode":"Active"}']));
    expect(traced.refused).toBeUndefined();
    for (const { Action, Resource, type } of statementsOf(traced))
      if (type === 'AWS::IAM::Role' && Resource.some((to) => to === '*'))
        expect(Action).toEqual(['xray:PutTelemetryRecords', 'xray:PutTraceSegments']);
  });

  test('no role has a policy of AWS, and every role is the role of one thing', () => {
    const roles = template.ofType('AWS::IAM::Role');
    expect(roles).toHaveLength(all.functions.length + all.scheduled.length);
    expect(roles.filter(({ Properties }) => Properties['ManagedPolicyArns'] !== undefined)).toEqual([]);
    expect(template.ofType('AWS::IAM::Policy')).toEqual([]);
  });

  test('the indexes are readable only to what can query', () => {
    const permitted = statementsOf(template).filter(({ Resource }) => JSON.stringify(Resource).includes('/index/'));
    expect(permitted.every(({ Action }) => Action.join() === 'dynamodb:Query')).toBe(true);
    expect(permitted).toHaveLength(all.functions.filter(({ uses }) => uses.some(queries)).length);
  });

  test('the table is the schema, kept, restorable and encrypted', () => {
    const [table, ...others] = template.ofType('AWS::DynamoDB::GlobalTable');
    expect(others).toEqual([]);
    expect(table?.DeletionPolicy).toBe('Retain');
    expect(table?.Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      TimeToLiveSpecification: { AttributeName: tableSchema.ttl, Enabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      Replicas: [{ DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }],
      KeySchema: [
        { AttributeName: tableSchema.partitionKey, KeyType: 'HASH' },
        { AttributeName: tableSchema.sortKey, KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: Object.entries(tableSchema.indexes).map(([IndexName, index]) => ({
        IndexName,
        KeySchema: [
          { AttributeName: index.partitionKey, KeyType: 'HASH' },
          { AttributeName: index.sortKey, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: index.projection },
      })),
    });
  });

  test('secrets and files outlive the stack, and a first deploy that fails leaves none of them', () => {
    const held = [...template.ofType('AWS::SecretsManager::Secret'), ...template.ofType('AWS::S3::Bucket')];
    expect(held.length).toBe(all.secrets.length + all.buckets.length);
    for (const { DeletionPolicy, UpdateReplacePolicy } of held)
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
  });

  test('cdk-nag finds nothing without an argument (lib/aws/nag.ts)', () => {
    expect(template.refused).toBeUndefined();
  });

  test('one dashboard shows every queue, every function, the table and every alarm', () => {
    const dashboards = template.ofType('AWS::CloudWatch::Dashboard');
    expect(dashboards.map(({ Properties }) => Properties['DashboardName'])).toEqual([
      { 'Fn::Join': ['', ['switchboard-', { Ref: 'AWS::Region' }]] },
    ]);
    const body = JSON.stringify(dashboards[0]?.Properties['DashboardBody']);
    expect(body.length).toBeLessThan(1_000_000);
    for (const { name } of [...all.queues, ...all.functions]) expect(body, name).toContain(name);
    const shown = body.match(/\\"type\\":\\"alarm\\"/g) ?? [];
    expect(shown).toHaveLength(Math.ceil(template.ofType('AWS::CloudWatch::Alarm').length / 100));
  });

  test('access logs tell the route as declared, never the path, the query or the caller', () => {
    const [stage] = template.ofType('AWS::ApiGatewayV2::Stage');
    const { Format } = z.object({ Format: z.string() }).parse(stage?.Properties['AccessLogSettings']);
    expect([...Format.matchAll(/\$context\.([a-zA-Z.]+)/g)].map(([, name]) => name)).toEqual([
      'requestId',
      'requestTime',
      'routeKey',
      'httpMethod',
      'status',
      'responseLatency',
      'integrationLatency',
      'responseLength',
      'integrationStatus',
      'integrationErrorMessage',
    ]);
  });

  test('a role may write no credential and no pointer across companies that its function does not mint', () => {
    const conditions = z.object({
      'ForAnyValue:StringLike': z.object({ 'dynamodb:LeadingKeys': z.array(z.string()) }),
      'ForAnyValue:StringNotLike': z.object({ 'dynamodb:Attributes': z.array(z.string()) }).optional(),
    });
    const denials = statementsOf(template).filter(({ Effect, Condition }) => Effect === 'Deny' && conditions.safeParse(Condition).success);
    for (const spec of all.functions) {
      const role = referred(named(spec.name)?.Properties['Role']);
      const isDenied = (action: string, key: string, attributes: readonly string[]): boolean =>
        denials.some(({ holder, Action, Condition }) => {
          const { 'ForAnyValue:StringLike': at, 'ForAnyValue:StringNotLike': names } = conditions.parse(Condition);
          const isLike = (text: string, patterns: readonly string[]): boolean =>
            patterns.some((like) => new RegExp(`^${like.replaceAll('*', '.*')}$`).test(text));
          const isThere = isLike(key, at['dynamodb:LeadingKeys']);
          const isNamed = !names || attributes.some((each) => !isLike(each, names['dynamodb:Attributes']));
          return holder === role && Action.includes(`dynamodb:${action}`) && isThere && isNamed;
        });
      const writes = spec.uses
        .flatMap((use) => (use.resource === 'table' ? use.actions : []))
        .filter((action) => /^(Put|Update|Delete)/.test(action));
      for (const action of writes) {
        for (const [name, key] of Object.entries(protectedPartitions))
          expect(isDenied(action, `${key}x`, ['role']), `${spec.name} ${action} ${name}`).toBe(
            !spec.mints?.includes(name as ProtectedEntity),
          );
        expect(isDenied(action, 'C#1#CONTACT#1', ['role']), spec.name).toBe(false);
        expect(isDenied(action, 'C#1#AUDIT', []), spec.name).toBe(action !== 'PutItem' || spec.trigger !== 'stream');
      }
      // as every call of a token counts itself, and nothing else
      expect(isDenied('UpdateItem', 'KEY#x', ['pk', 'w', 'lastUsedAt', 'n:29:read']), spec.name).toBe(false);
      const ofCredential = Object.keys(registry.find(({ name }) => name === 'credential')?.attributes.shape ?? {});
      if (writes.includes('UpdateItem') && !spec.mints?.includes('credential'))
        for (const name of ofCredential.filter((each) => each !== 'lastUsedAt'))
          expect(isDenied('UpdateItem', 'KEY#x', ['lastUsedAt', name]), `${spec.name} ${name}`).toBe(true);
    }
  });

  test('log groups forget after thirty days', () => {
    for (const { id, Properties } of template.ofType('AWS::Logs::LogGroup')) expect(Properties['RetentionInDays'], id).toBe(30);
  });

  test('no two resources of its stacks have one id: the laptop reads them together', () => {
    expect(new Set(template.resources.map(({ id }) => id)).size).toBe(template.resources.length);
  });

  test('the stacks stay clear of what CloudFormation and API Gateway allow', () => {
    expect(template.largest).toBeLessThan(450);
    // an API may have 300
    expect(template.ofType('AWS::ApiGatewayV2::Route').length).toBeLessThanOrEqual(200);
  });

  test('the outputs tell where things are', () => {
    expect(Object.keys(template.outputs)).toEqual(expect.arrayContaining(['ApiUrl', 'TableName', 'AlarmTopic']));
  });
});

function variableFor(use: Use): string | string[] {
  switch (use.resource) {
    case 'table':
      return [duePartitionsVariable, tableVariable];
    case 'queue':
      return variableOf(use.queue);
    case 'bus':
      return variableOf(use.bus);
    case 'secret':
      return variableOf(use.secret);
    case 'bucket':
      return variableOf(use.bucket);
    case 'email':
      return ['EMAIL_FROM', 'EMAIL_CONFIGURATION_SET'];
  }
}

function queries(use: Use): boolean {
  return use.resource === 'table' && use.actions.includes('Query');
}
