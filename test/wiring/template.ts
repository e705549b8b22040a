import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import * as z from 'zod';
import { checkWithNag } from '../../lib/aws/nag.ts';
import { parseSettings } from '../../lib/aws/settings.ts';
import type { BuildOf } from '../../lib/aws/site.ts';
import { buildStack } from '../../lib/aws/stack.ts';
import type { Context } from '../../shared/contract/context.ts';

/** A synthesized template to query; functions have no code in it, which saves bundling them. With `nag`, cdk-nag looks at it too. */
export const templateOf = (
  contexts: readonly Context[],
  settings: Record<string, unknown> = {},
  { nag = false, buildOf }: { nag?: boolean; buildOf?: BuildOf } = {},
): Template => {
  const outdir = mkdtempSync(join(tmpdir(), 'switchboard-wiring-'));
  const app = new App({ outdir, analyticsReporting: false, treeMetadata: false, builtinCloudFormationValidation: false });
  const stack = buildStack(app, parseSettings(settings), contexts, () => Code.fromInline('exports.handler = () => {};'), buildOf);
  if (nag) checkWithNag(app);
  const refused = synthesized(app);
  const templates = [stack.templateFile, ...stack.node.findAll().flatMap(nestedFile)].map((file) =>
    templateSchema.parse(JSON.parse(readFileSync(join(outdir, file), 'utf8'))),
  );
  const written = templates.flatMap((template) => Object.entries(template.Resources).map(([id, resource]) => ({ id, ...resource })));
  const handed = new Map(
    written
      .filter(({ Type }) => Type === 'AWS::CloudFormation::Stack')
      .flatMap(({ Properties }) => Object.entries(z.record(z.string(), z.unknown()).parse(Properties['Parameters'] ?? {}))),
  );
  const resources = written.map((resource) => ({
    ...resource,
    Properties: withHanded(resource.Properties, handed) as typeof resource.Properties,
  }));
  return {
    resources,
    outputs: templates[0]?.Outputs ?? {},
    refused,
    ofType: (type) => resources.filter((resource) => resource.Type === type),
    ofRoot: Object.keys(templates[0]?.Resources ?? {}),
    largest: Math.max(...templates.map((template) => Object.keys(template.Resources).length)),
  };
};

export interface Template {
  /** Those of the stack, then those of its nested stacks. */
  resources: readonly Resource[];
  outputs: Readonly<Record<string, { Value: unknown }>>;
  /** What cdk-nag objects to; undefined: nothing. */
  refused: string | undefined;
  ofType: (type: string) => readonly Resource[];
  /** The ids of those of the stack itself. */
  ofRoot: readonly string[];
  /** The resources of the larger of its stacks; CloudFormation allows 500. */
  largest: number;
}

export type Resource = z.output<typeof resourceSchema> & { id: string };

/** The logical id that a reference is to: `{Ref}` or `{Fn::GetAtt}`. */
export const referred = (value: unknown): string | undefined => {
  const reference = z
    .union([z.object({ Ref: z.string() }), z.object({ 'Fn::GetAtt': z.tuple([z.string()], z.string()) })])
    .safeParse(value);
  if (!reference.success) return undefined;
  return 'Ref' in reference.data ? reference.data.Ref : reference.data['Fn::GetAtt'][0];
};

/** The id of the function that a trigger leads to by its alias; undefined where it goes around the alias. */
export const leadsTo = (template: Pick<Template, 'ofType'>, trigger: unknown): string | undefined => {
  const text = JSON.stringify(trigger);
  const alias = template.ofType('AWS::Lambda::Alias').find(({ id }) => {
    const name = { 'Fn::Select': [6, { 'Fn::Split': [':', { Ref: id }] }] };
    return [{ Ref: id }, { 'Fn::Join': ['', [name, ':live']] }].some((each) => JSON.stringify(each) === text);
  });
  return alias && referred(alias.Properties['FunctionName']);
};

/** Every statement of every role and policy. */
export const statementsOf = (template: Template): Statement[] =>
  template.resources.flatMap((resource) => {
    const { Policies = [], PolicyDocument } = policyProperties.parse(resource.Properties);
    return [...Policies.map((policy) => policy.PolicyDocument), ...(PolicyDocument ? [PolicyDocument] : [])].flatMap((document) =>
      document.Statement.map((statement) => ({ holder: resource.id, type: resource.Type, ...statement })),
    );
  });

export type Statement = z.output<typeof statementSchema> & { holder: string; type: string };

const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).optional(),
  DependsOn: z.array(z.string()).optional(),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
});
const templateSchema = z.looseObject({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).optional(),
});
const list = <S extends z.ZodType>(item: S) => z.union([item.transform((one) => [one]), z.array(item)]);
const statementSchema = z.looseObject({
  Effect: z.string(),
  Action: list(z.string()),
  Resource: list(z.unknown()).default([]),
  Condition: z.unknown().optional(),
});
const document = z.looseObject({ Statement: z.array(statementSchema) });
const policyProperties = z.looseObject({
  Policies: z.array(z.looseObject({ PolicyDocument: document })).optional(),
  PolicyDocument: document.optional(),
});

/** Writes the templates; what a plugin objects to. */
function synthesized(app: App): string | undefined {
  try {
    app.synth();
    return undefined;
  } catch (error) {
    if (existsSync(join(app.outdir, 'validation-report.json'))) return readFileSync(join(app.outdir, 'validation-report.json'), 'utf8');
    throw error;
  }
}

/** References of a nested stack to its parameters, replaced by what the parent hands to it. */
function withHanded(value: unknown, handed: ReadonlyMap<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((each) => withHanded(each, handed));
  if (typeof value !== 'object' || value === null) return value;
  if ('Ref' in value && typeof value.Ref === 'string' && handed.has(value.Ref)) return handed.get(value.Ref);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withHanded(each, handed)]));
}

function nestedFile(construct: object): string[] {
  return 'nestedStackResource' in construct && construct.nestedStackResource && 'templateFile' in construct
    ? [String(construct.templateFile)]
    : [];
}
