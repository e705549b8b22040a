import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import type { Context } from '../../shared/contract/context.ts';
import { fixture } from './fixture/contexts.ts';
import { leadsTo, referred, type Resource, statementsOf, type Template, templateOf } from './template.ts';

const functionsOf = (template: Template): Map<string, string> =>
  new Map(template.ofType('AWS::Lambda::Function').map(({ id, Properties }) => [String(Properties['FunctionName']), id]));

/** The version that the alias of a function leads to, by the function's name. */
const versionsOf = (template: Template): Map<string, string | undefined> =>
  new Map(
    [...functionsOf(template)].map(([name, id]) => {
      const alias = template.ofType('AWS::Lambda::Alias').find(({ Properties }) => referred(Properties['FunctionName']) === id);
      return [name, referred(alias?.Properties['FunctionVersion'])];
    }),
  );

/** Whose version is another one. */
const changed = (before: Template, after: Template): string[] => {
  const was = versionsOf(before);
  return [...versionsOf(after)].flatMap(([name, version]) => (was.get(name) === version ? [] : [name]));
};

/** Every id that a value refers to, at any depth: the text of a template has a reference in no other form. */
const references = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/\{"Ref":"(\w+)"\}|\{"Fn::GetAtt":\["(\w+)"/g)].flatMap(([, ref, of]) => ref ?? of ?? []);

/** A way from a resource back to itself: CloudFormation refuses such a template. */
const circle = ({ resources, ofRoot }: Pick<Template, 'resources' | 'ofRoot'>): string[] | undefined => {
  const own = new Map(resources.filter(({ id }) => ofRoot.includes(id)).map((each) => [each.id, each]));
  const done = new Set<string>();
  const walk = (id: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(id)) return [...way.slice(way.indexOf(id)), id];
    const resource = own.get(id);
    if (done.has(id) || !resource) return undefined;
    for (const next of [...references(resource), ...(resource.DependsOn ?? [])]) {
      const found = walk(next, [...way, id]);
      if (found) return found;
    }
    done.add(id);
    return undefined;
  };
  for (const id of own.keys()) {
    const found = walk(id, []);
    if (found) return found;
  }
  return undefined;
};

const full = { gradual: true, dashboard: true, site: true, tracing: true };

describe.each<[string, readonly Context[]]>([
  ['the product', app],
  ['a product with one of everything', fixture],
])('a release of %s', (_, contexts) => {
  const template = templateOf(contexts, full);
  const ids = [...functionsOf(template).values()];

  test('is one version of each function, code and settings together, to which its alias leads', () => {
    const versions = template.ofType('AWS::Lambda::Version');
    expect([versions.length, new Set(versions.map(({ Properties }) => referred(Properties['FunctionName'])))]).toEqual([
      ids.length,
      new Set(ids),
    ]);
    const aliases = template.ofType('AWS::Lambda::Alias');
    expect([aliases.length, new Set(aliases.map(({ Properties }) => referred(Properties['FunctionName'])))]).toEqual([
      ids.length,
      new Set(ids),
    ]);
    for (const { Properties } of aliases) {
      const version = versions.find(({ id }) => id === referred(Properties['FunctionVersion']));
      expect(Properties['Name']).toBe('live');
      expect(referred(version?.Properties['FunctionName'])).toBe(referred(Properties['FunctionName']));
    }
  });

  test('keeps the version before it to go back to, and leaves none of its own when it fails', () => {
    for (const { id, DeletionPolicy, UpdateReplacePolicy } of template.ofType('AWS::Lambda::Version'))
      expect([DeletionPolicy, UpdateReplacePolicy], id).toEqual(['RetainExceptOnCreate', 'Retain']);
  });

  test('is reached by its alias alone: routes, addresses, queues, the stream, schedules, and permissions to invoke', () => {
    const triggers: [Resource, unknown][] = [
      ...template.ofType('AWS::ApiGatewayV2::Integration').map((each): [Resource, unknown] => [each, each.Properties['IntegrationUri']]),
      ...template.ofType('AWS::Lambda::EventSourceMapping').map((each): [Resource, unknown] => [each, each.Properties['FunctionName']]),
      ...template.ofType('AWS::Lambda::Permission').map((each): [Resource, unknown] => [each, each.Properties['FunctionName']]),
      ...template
        .ofType('AWS::Scheduler::Schedule')
        .map((each): [Resource, unknown] => [each, z.object({ Arn: z.unknown() }).parse(each.Properties['Target']).Arn]),
    ];
    expect(triggers.length).toBeGreaterThan(ids.length);
    for (const [{ id }, trigger] of triggers) expect(ids, id).toContain(leadsTo(template, trigger));
    for (const { id, Properties } of template.ofType('AWS::Lambda::Url')) {
      expect(Properties['Qualifier'], id).toBe('live');
      expect(ids, id).toContain(referred(Properties['TargetFunctionArn']));
    }
    for (const { id, Properties } of template.ofType('AWS::Lambda::EventInvokeConfig'))
      expect(references(Properties['Qualifier'] ?? null), id).toEqual([
        template
          .ofType('AWS::Lambda::Alias')
          .find((alias) => referred(alias.Properties['FunctionName']) === referred(Properties['FunctionName']))?.id,
      ]);
    const invoking = statementsOf(template).filter(({ Effect, Action }) => Effect === 'Allow' && Action.includes('lambda:InvokeFunction'));
    for (const { Resource, holder } of invoking) for (const to of Resource.flat()) expect(ids, holder).toContain(leadsTo(template, to));
  });

  test('goes to the functions with addresses by a tenth a minute, and back by an alarm; workers, the stream and schedules switch at once', () => {
    const gradually = template
      .ofType('AWS::Lambda::Alias')
      .filter((alias) => 'UpdatePolicy' in alias)
      .map(({ Properties }) => referred(Properties['FunctionName']));
    const http = declarationsOf(contexts).http.map(({ name }) => functionsOf(template).get(`switchboard-${name}`));
    expect(new Set(gradually)).toEqual(new Set(http));
    const groups = template.ofType('AWS::CodeDeploy::DeploymentGroup');
    expect(groups).toHaveLength(http.length);
    const alarmNames = new Map(template.ofType('AWS::CloudWatch::Alarm').map(({ id, Properties }) => [id, Properties['AlarmName']]));
    for (const { Properties, id } of groups) {
      expect(Properties, id).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
        },
      });
      expect(references(Properties['AlarmConfiguration'] ?? null).map((alarm) => alarmNames.get(alarm))).toEqual([
        'switchboard-api-server-errors',
        'switchboard-server-errors',
        'switchboard-crashes',
        'switchboard-message-failures',
      ]);
    }
  });

  test('is shifted by a role that may move the aliases of these functions and read alarms, and nothing else', () => {
    const [group] = template.ofType('AWS::CodeDeploy::DeploymentGroup');
    const role = template.resources.find(({ id }) => id === referred(group?.Properties['ServiceRoleArn']));
    expect(role?.Properties['ManagedPolicyArns']).toBeUndefined();
    const permitted = statementsOf(template).filter(({ holder }) => holder === role?.id);
    expect(permitted.map(({ Action }) => Action)).toEqual([
      ['lambda:GetAlias', 'lambda:GetProvisionedConcurrencyConfig', 'lambda:UpdateAlias'],
      ['cloudwatch:DescribeAlarms'],
    ]);
    const named = (permitted[0]?.Resource ?? []).flat().map((arn) => /:function:([a-z-]+)(:live)?"/.exec(JSON.stringify(arn))?.[1]);
    expect(new Set(named)).toEqual(new Set(declarationsOf(contexts).http.map(({ name }) => `switchboard-${name}`)));
  });

  test('waits for nothing that waits for it', () => {
    expect(circle(template)).toBeUndefined();
  });

  test('stays clear of what CloudFormation allows in a stack', () => {
    expect(template.largest).toBeLessThan(450);
  });
});

test('a way from a resource back to itself is found', () => {
  const resource = (id: string, to: string): Resource => ({ id, Type: 'A', Properties: { to: { Ref: to } } });
  const resources = [resource('a', 'b'), resource('b', 'c'), resource('c', 'b')];
  expect(circle({ resources, ofRoot: ['a', 'b', 'c'] })).toEqual(['b', 'c', 'b']);
  expect(circle({ resources, ofRoot: ['a', 'b'] })).toBeUndefined();
});

test('a setting that a function has makes a version of it; what is no part of a version makes none', () => {
  const before = templateOf(fixture);
  expect(changed(before, templateOf(fixture))).toEqual([]);
  expect(changed(before, templateOf(fixture, { functionSettings: { PAGE_SIZE: '10' } }))).toEqual(['switchboard-shop-http']);
  expect(changed(before, templateOf(fixture, { publicBaseUrl: 'https://api.example.com' })).length).toBe(versionsOf(before).size);
  for (const same of [{ reserved: { 'shop-http': 50 } }, { workers: { 'jobs-worker': 9 } }, { gradual: true }, { logRetentionDays: 7 }])
    expect(changed(before, templateOf(fixture, same)), JSON.stringify(same)).toEqual([]);
});

test('whether a function may start itself without end is no part of its version: Lambda would be asked for one that it has', () => {
  const loops = (template: Template): number =>
    JSON.stringify(template.ofType('AWS::Lambda::Function')).split('"RecursiveLoop":"Allow"').length - 1;
  const straight = fixture.map((each) => ({
    ...each,
    functions: each.functions.map((spec) =>
      spec.name === 'pages-worker' ? { ...spec, uses: spec.uses.filter(({ resource }) => resource !== 'queue') } : spec,
    ),
  }));
  const [before, after] = [templateOf(fixture), templateOf(straight)];
  expect([loops(before), loops(after)]).toEqual([1, 0]);
  expect(changed(before, after)).toEqual([]);
});

test('without the setting nothing of CodeDeploy is made, on a laptop and in a test stage', () => {
  const template = templateOf(fixture);
  expect(template.resources.filter(({ Type }) => Type.startsWith('AWS::CodeDeploy::'))).toEqual([]);
  expect(template.ofType('AWS::Lambda::Alias').filter((alias) => 'UpdatePolicy' in alias)).toEqual([]);
});
