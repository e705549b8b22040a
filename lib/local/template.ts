import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { asText, isObject, type Json, type JsonObject, listOf, objectOf, parseJson, textOf } from './json.ts';

export const region = 'us-east-1';
export const account = '000000000000';

export interface Resource {
  id: string;
  type: string;
  properties: JsonObject;
  metadata: JsonObject;
}

/** What a synthesized cdk.out folder holds, several stacks merged into one. */
export interface Template {
  resources: ReadonlyMap<string, Resource>;
  /** Parameters that have a default, and what stacks hand to those nested in them, unresolved. */
  parameters: ReadonlyMap<string, Json>;
  conditions: ReadonlyMap<string, Json>;
  /** Cross-stack exports by name, unresolved. */
  exports: ReadonlyMap<string, Json>;
  /** The stacks' own metadata. */
  metadata: ReadonlyMap<string, Json>;
  /** The folder of a Lambda's code, from its `Code.S3Key`. */
  assetFolder(s3Key: string): string;
}

/** The local name of a resource: its `Ref` without an attribute, its `Fn::GetAtt` with one; undefined when it has no local twin. */
export type Identity = (resource: Resource, attribute: string | undefined, resolveValue: (value: Json) => Json) => string | undefined;

export const readTemplate = (outDir: string): Template => {
  const documents = (suffix: string): JsonObject[] =>
    readdirSync(outDir)
      .filter((name) => name.endsWith(suffix))
      .sort()
      .map((name) => objectOf(parseJson(readFileSync(join(outDir, name), 'utf8'))));
  const templates = documents('.template.json');
  if (templates.length === 0) throw new Error(`There is no *.template.json in ${outDir}.`);
  const section = (name: string): [string, Json][] => templates.flatMap((template) => Object.entries(objectOf(template[name])));

  const files = documents('.assets.json').flatMap((manifest) => Object.entries(objectOf(manifest.files)));
  const folders = new Map(files.map(([hash, file]) => [hash, textOf(objectOf(objectOf(file).source).path) ?? '']));

  return {
    resources: new Map(section('Resources').map(([id, value]) => [id, resourceOf(id, objectOf(value))])),
    parameters: new Map([
      ...section('Parameters').flatMap(([id, value]) => entryOf(id, objectOf(value).Default)),
      ...section('Resources').flatMap(([, value]) => {
        const { Type, Properties } = objectOf(value);
        return Type === 'AWS::CloudFormation::Stack' ? Object.entries(objectOf(objectOf(Properties).Parameters)) : [];
      }),
    ]),
    conditions: new Map(section('Conditions')),
    metadata: new Map(section('Metadata')),
    exports: new Map(
      section('Outputs').flatMap(([, value]) => {
        const name = textOf(objectOf(objectOf(value).Export).Name);
        return name === undefined ? [] : entryOf(name, objectOf(value).Value);
      }),
    ),
    assetFolder: (s3Key) => {
      const hash = s3Key.replace(/^.*\//, '').replace(/\.zip$/, '');
      const folder = folders.get(hash);
      if (!folder) throw new Error(`The code asset ${s3Key} is not in ${outDir}/*.assets.json.`);
      return resolve(outDir, folder);
    },
  };
};

/** The resources of the given types, in template order. */
export const resourcesOf = (template: Template, ...types: string[]): Resource[] =>
  [...template.resources.values()].filter((resource) => types.includes(resource.type));

/**
 * Returns a function that replaces CloudFormation's intrinsics by local names. Unknown resources resolve to their logical id, as
 * nothing on the laptop reads them.
 */
export const intrinsics = (template: Template, identity: Identity): ((value: Json) => Json) => {
  const name = (id: string, attribute?: string): Json => {
    const pseudo = pseudoParameters[id];
    if (pseudo !== undefined) return pseudo;
    const resource = template.resources.get(id);
    if (resource) return identity(resource, attribute, resolveValue) ?? (attribute ? `${id}.${attribute}` : id);
    const given = template.parameters.get(id);
    return given === undefined ? id : resolveValue(given);
  };
  const text = (value: Json | undefined): string => {
    const resolved = resolveValue(value ?? '');
    return typeof resolved === 'string' ? resolved : JSON.stringify(resolved);
  };
  const substitute = (argument: Json): string => {
    const [pattern, names] = Array.isArray(argument) ? argument : [argument];
    const variables = objectOf(names);
    return asText(pattern).replace(/\$\{(!?)([^}]+)\}/g, (_, literal: string, key: string) => {
      if (literal) return `\${${key}}`;
      if (key in variables) return text(variables[key]);
      const [id = '', ...attribute] = key.split('.');
      return text(name(id, attribute.join('.') || undefined));
    });
  };
  const holds = (condition: Json): boolean => {
    if (typeof condition === 'string') return holds(template.conditions.get(condition) ?? false);
    if (!isObject(condition)) return condition === true;
    const [key, argument] = Object.entries(condition)[0] ?? ['', null];
    const operands = listOf(argument);
    if (key === 'Condition') return holds(argument ?? false);
    if (key === 'Fn::Equals') return text(operands[0]) === text(operands[1]);
    if (key === 'Fn::Not') return !holds(operands[0] ?? false);
    if (key === 'Fn::And') return operands.every(holds);
    if (key === 'Fn::Or') return operands.some(holds);
    return false;
  };
  const functions: Record<string, (argument: Json) => Json> = {
    Ref: (argument) => name(asText(argument)),
    'Fn::GetAtt': (argument) => {
      const [id = '', ...attribute] = Array.isArray(argument) ? argument.map(asText) : asText(argument).split('.');
      return name(id, attribute.join('.'));
    },
    'Fn::Join': (argument) => {
      const [separator, parts] = listOf(argument);
      return listOf(resolveValue(parts ?? []))
        .map(text)
        .join(asText(separator));
    },
    'Fn::Select': (argument) => {
      const [index, list] = listOf(argument);
      return listOf(resolveValue(list ?? []))[Number(text(index))] ?? '';
    },
    'Fn::Split': (argument) => {
      const [separator, whole] = listOf(argument);
      return text(whole).split(asText(separator));
    },
    'Fn::Sub': substitute,
    'Fn::If': (argument) => {
      const [condition, yes, no] = listOf(argument);
      return resolveValue((holds(condition ?? false) ? yes : no) ?? null);
    },
    'Fn::ImportValue': (argument) => resolveValue(template.exports.get(text(argument)) ?? ''),
    'Fn::Base64': (argument) => Buffer.from(text(argument)).toString('base64'),
    'Fn::GetAZs': () => [`${region}a`],
  };
  const resolveValue = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolveValue).filter((each) => each !== noValue);
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    const [key, argument] = entries[0] ?? ['', null];
    const intrinsic = entries.length === 1 ? functions[key] : undefined;
    if (intrinsic) return intrinsic(argument ?? null);
    return Object.fromEntries(
      entries.map(([each, inner]) => [each, resolveValue(inner)] as const).filter(([, inner]) => inner !== noValue),
    );
  };
  return resolveValue;
};

const noValue = '\u0000no-value';

const pseudoParameters: Record<string, string> = {
  'AWS::Region': region,
  'AWS::AccountId': account,
  'AWS::Partition': 'aws',
  'AWS::URLSuffix': 'amazonaws.com',
  'AWS::StackName': 'switchboard',
  'AWS::StackId': `arn:aws:cloudformation:${region}:${account}:stack/switchboard/local`,
  'AWS::NoValue': noValue,
};

const resourceOf = (id: string, value: JsonObject): Resource => ({
  id,
  type: textOf(value.Type) ?? '',
  properties: objectOf(value.Properties),
  metadata: objectOf(value.Metadata),
});

const entryOf = (key: string, value: Json | undefined): [string, Json][] => (value === undefined ? [] : [[key, value]]);
