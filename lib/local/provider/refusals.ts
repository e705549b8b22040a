/** Turns the first complaint of a schema into the error the provider gives for it. */
import type * as z from 'zod';
import { type Refusal, refuse, refuseParameter } from './errors.ts';

/** Missing top-level parameter, missing content of the type, unknown type, wrong kind of value: each has its own form. */
export function refuseIssue(body: unknown, error: z.ZodError): Refusal {
  const issue = deepest(error.issues[0]);
  const path = (issue?.path ?? []).map(String);
  const name = describeIssue(path);
  const value = at(body, path);
  if (issue?.code === 'invalid_union') return refuseWord(path, name, value, issue);
  if (value === undefined || value === null) {
    const type = at(body, ['type']);
    if (path.length === 1 && path[0] === 'messaging_product') return refuseParameter(`The parameter ${name} is required.`);
    if (path.length === 1 && typeof type === 'string' && path[0] === type) {
      return refuse(131008, `Parameter '${type}' is mandatory for type '${type}'`);
    }
    return path.length === 1 ? refuseParameter(`The parameter ${name} is required.`) : refuse(131008, `The parameter ${name} is required.`);
  }
  if (issue?.code === 'invalid_value') {
    return refuseParameter(`Param ${name} must be one of {${issue.values.map(String).join(', ')}} - got ${JSON.stringify(value)}.`);
  }
  if (issue?.code === 'invalid_type') return refuseParameter(`Param ${name} must be ${article(issue.expected)}.`);
  return refuse(131009, `Parameter value is not valid: ${name}`);
}

/** `template['components'][0]['type']`, as the provider names a place in a body. */
export function describeIssue(path: string[]): string {
  return path.map((part, index) => (index === 0 ? part : /^\d+$/.test(part) ? `[${part}]` : `['${part}']`)).join('');
}

function refuseWord(path: string[], name: string, value: unknown, issue: z.core.$ZodIssueInvalidUnion): Refusal {
  if (path.length === 1 && path[0] === 'type') return refuse(131051, `Message type ${JSON.stringify(value)} is currently not supported.`);
  const options =
    'options' in issue && Array.isArray(issue.options) ? `{${issue.options.map(String).join(', ').toUpperCase()}}` : 'the known values';
  return value === undefined
    ? refuse(131008, `The parameter ${name} is required.`)
    : refuseParameter(`Param ${name} must be one of ${options} - got ${JSON.stringify(value)}.`);
}

/** A union of plain values complains as a whole: the first alternative's complaint names the kind. */
function deepest(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union' || 'discriminator' in issue) return issue;
  const inner = issue.errors[0]?.[0];
  return inner ? { ...inner, path: [...issue.path, ...inner.path] } : issue;
}

function at(body: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, part) => (typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined), body);
}

function article(kind: string): string {
  if (kind === 'object') return 'a JSON object';
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`;
}
