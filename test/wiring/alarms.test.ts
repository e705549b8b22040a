import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { idleMonth, standing } from '../../bench/cost.ts';
import { app } from '../../functions/app.ts';
import { type Resource, referred, templateOf } from './template.ts';

const template = templateOf(app);
const alarms = template.ofType('AWS::CloudWatch::Alarm');
const nameOf = ({ Properties }: Resource): string => String(Properties['AlarmName']).replace(/^switchboard-/, '');
const texts = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const metricsOf = z.array(
  z.looseObject({ MetricStat: z.object({ Metric: z.object({ Namespace: z.unknown(), Dimensions: z.unknown().optional() }) }).optional() }),
);
const topicPolicy = z.object({
  Topics: z.array(z.unknown()),
  PolicyDocument: z.object({
    Statement: z.array(
      z.looseObject({
        Effect: z.string(),
        Action: texts,
        Resource: z.unknown(),
        Principal: z.union([z.string(), z.looseObject({ Service: z.string().optional() })]).optional(),
        Condition: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
      }),
    ),
  }),
});

describe('alarms', () => {
  test('each reaches a topic whose policy lets CloudWatch of this account publish, and both when it rings and when it ends', () => {
    const policies = template.ofType('AWS::SNS::TopicPolicy').map(({ Properties }) => topicPolicy.parse(Properties));
    expect(alarms.length).toBeGreaterThan(0);
    for (const alarm of alarms) {
      for (const actions of ['AlarmActions', 'OKActions']) {
        const [topic, ...others] = z.array(z.unknown()).parse(alarm.Properties[actions]).map(referred);
        expect(others).toEqual([]);
        expect(template.resources.find(({ id }) => id === topic)?.Type, nameOf(alarm)).toBe('AWS::SNS::Topic');
        const statements = policies
          .filter(({ Topics }) => Topics.map(referred).includes(topic))
          .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
        const allows = statements.filter(
          ({ Effect, Action, Principal, Resource }) =>
            Effect === 'Allow' &&
            Action.includes('sns:Publish') &&
            typeof Principal === 'object' &&
            Principal.Service === 'cloudwatch.amazonaws.com' &&
            referred(Resource) === topic,
        );
        expect(
          allows.map(({ Condition }) => Condition),
          nameOf(alarm),
        ).toEqual([{ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }]);
      }
    }
  });

  test('there are at most forty, no two of one name, and none about a single function that a queue or the API shows already', () => {
    expect(alarms.length).toBeLessThanOrEqual(40);
    expect(new Set(alarms.map(nameOf)).size).toBe(alarms.length);
    expect(alarms.map(nameOf)).toEqual(
      expect.arrayContaining(['api-server-errors', 'crashes', 'message-failures', 'dead-letters', 'stream-late', 'dispatch-tick-silent']),
    );
  });

  test('each is explained in docs/operate.md, with what to do, and no other is', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/operate.md'), 'utf8');
    const section = /\n## Alarms\n([^]*?)\n## /.exec(page)?.[1] ?? '';
    const explained = [...section.matchAll(/^\| `([^|]+)` \| [^|]{10,} \| [^|]{10,} \|$/gm)].flatMap(([, names = '']) =>
      names.split('`, `'),
    );
    expect(explained.toSorted()).toEqual(alarms.map(nameOf).toSorted());
  });

  test('a queue for which customers wait rings, and every message that fails or crashes a function is counted', () => {
    const late = app.flatMap(({ functions }) =>
      functions.flatMap((spec) => (spec.trigger === 'queue' && spec.queue.lateAfterSeconds ? [spec.queue.name] : [])),
    );
    expect(late).toContain('provider-updates');
    expect(alarms.map(nameOf)).toEqual(expect.arrayContaining(late.map((name) => `${name}-late`)));
    const filters = template.ofType('AWS::Logs::MetricFilter');
    expect(filters).toHaveLength(template.ofType('AWS::Lambda::Function').length);
    for (const { Properties } of filters)
      expect(Properties['MetricTransformations']).toMatchObject([{ MetricName: 'Crashes', MetricNamespace: 'Switchboard/switchboard' }]);
  });

  test('a month in which nothing happens costs at most twelve dollars', () => {
    const together = idleMonth(standing(template)).reduce((sum, [, dollars]) => sum + dollars, 0);
    expect(together).toBeLessThanOrEqual(12);
  });
});

describe('two stacks in one account', () => {
  const backupVaultArn = 'arn:aws:backup:eu-west-1:210987654321:backup-vault:switchboard-copies';
  const other = templateOf(app, { stackName: 'switchboard-test', dashboard: true, gradual: true, backupVaultArn });

  const backupPlan = ({ BackupPlan: plan }: Record<string, unknown>) => (typeof plan === 'object' ? plan : {});

  test('share no name', () => {
    const names = (of: typeof template): string[] =>
      of.resources.flatMap(({ Type, Properties }) =>
        Object.entries({ ...Properties, ...backupPlan(Properties) }).flatMap(([key, value]) =>
          /^(FunctionName|QueueName|TopicName|AlarmName|DashboardName|LogGroupName|TableName|BucketName|RoleName|BackupVaultName|BackupPlanName|ApplicationName|Name)$/.test(
            key,
          ) && !['AWS::Lambda::Url', 'AWS::Lambda::Alias'].includes(Type)
            ? typeof value === 'string' || key === 'DashboardName'
              ? [`${Type} ${JSON.stringify(value)}`]
              : []
            : [],
        ),
      );
    const mine = new Set(names(templateOf(app, { dashboard: true, gradual: true, backupVaultArn })));
    expect(mine.size).toBeGreaterThan(80);
    for (const kind of ['BackupVault', 'BackupPlan']) expect([...mine]).toContain(`AWS::Backup::${kind} "switchboard"`);
    expect(names(other).filter((name) => mine.has(name))).toEqual([]);
  });

  test('share no metric: what the product measures has the stack in its namespace, and what AWS measures names a resource', () => {
    const namespaces = (of: typeof template): string[] => [
      ...new Set([...JSON.stringify(of.resources).matchAll(/Switchboard\/[a-z-]+/g)].map(([name]) => name)),
    ];
    expect(namespaces(template)).toEqual(['Switchboard/switchboard']);
    expect(namespaces(other)).toEqual(['Switchboard/switchboard-test']);
    for (const { Properties } of other.ofType('AWS::Lambda::Function'))
      expect(Properties['Environment']).toMatchObject({ Variables: { METRIC_NAMESPACE: 'Switchboard/switchboard-test' } });
    for (const alarm of alarms) {
      const { Namespace, Dimensions, Metrics } = alarm.Properties;
      const metrics = Metrics
        ? metricsOf.parse(Metrics).flatMap(({ MetricStat }) => MetricStat?.Metric ?? [])
        : [{ Namespace, Dimensions }];
      for (const metric of metrics) {
        if (metric.Namespace === 'Switchboard/switchboard') continue;
        // what all stacks of an account share is about all of them
        if (nameOf(alarm) === 'account-concurrency') {
          expect(metric).toEqual({ Namespace: 'AWS/Lambda', Dimensions: undefined });
          continue;
        }
        const dimensions = z.array(z.object({ Name: z.string(), Value: z.unknown() })).parse(metric.Dimensions);
        expect(
          dimensions.some(({ Value }) => referred(Value) !== undefined),
          nameOf(alarm),
        ).toBe(true);
      }
    }
  });
});
