import { descriptionOf, pascalCase } from './client-calls.ts';
import { type JsonSchema, nameIn, namesWithin } from './client-document.ts';

/** Where a type stands. */
interface Place {
  /** What an object without a name of its own is named after. */
  owner: string;
  /** An input takes any sequence and mapping; an answer is made of lists and dicts. */
  isInput: boolean;
  /** Before the names of types: `types.` outside of their module. */
  prefix: '' | 'types.';
}

const scalars: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

/** The types of the Python client: a TypedDict for each object that an operation or event has, declared when it is first used. */
export class PythonTypes {
  private readonly declared = new Map<string, string>();
  private readonly schemas: Readonly<Record<string, JsonSchema>>;
  private readonly answered: ReadonlySet<string>;

  /** `answers`: every schema that an answer or an event has. */
  constructor(schemas: Readonly<Record<string, JsonSchema>>, answers: readonly JsonSchema[]) {
    this.schemas = schemas;
    this.answered = namesWithin(answers, schemas);
  }

  /** A type of a parameter or a body, as the module of operations writes it. */
  input(schema: JsonSchema, owner: string): string {
    return this.typed(schema, { owner, isInput: true, prefix: 'types.' });
  }

  answer(schemas: readonly JsonSchema[], owner: string): string {
    return union(
      schemas.map((schema, nth) => this.typed(schema, { owner: nth > 0 ? `${owner}${nth + 1}` : owner, isInput: false, prefix: 'types.' })),
    );
  }

  /** The module of all types that were used, with the union of the events as `WebhookEvent`. */
  module(events: readonly string[]): string[] {
    const unionOfEvents = evaluated(union(events.map((name) => this.named(name))));
    const declarations = [...this.declared].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
    return [
      'from __future__ import annotations',
      '',
      'from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union',
      '',
      'if TYPE_CHECKING:',
      '    from typing_extensions import NotRequired',
      '',
      '',
      [...declarations, `WebhookEvent = ${unionOfEvents}`].join('\n\n'),
      '',
    ];
  }

  private named(name: string): string {
    const schema = this.schemas[name];
    if (!schema) throw new Error(`There is no schema ${name}.`);
    const place: Place = { owner: name, isInput: !this.answered.has(name), prefix: '' };
    if (!this.declared.has(name))
      this.add(
        name,
        isRecord(schema) && !(place.isInput && isOpen(schema)) ? this.record(name, schema, place) : this.alias(name, schema, place),
      );
    return name;
  }

  private alias(name: string, schema: JsonSchema, place: Place): string {
    return [...commentLines(descriptionOf(schema)), `${name} = ${evaluated(this.typed(schema, { ...place, owner: `${name}Value` }))}`].join(
      '\n',
    );
  }

  /** Stops where one name would be two types. */
  private add(name: string, text: string): void {
    const former = this.declared.get(name);
    if (former !== undefined && former !== text)
      throw new Error(`${name} would be two types of the Python client: give the object a name of its own in the contract.`);
    this.declared.set(name, text);
  }

  private record(name: string, schema: JsonSchema, place: Place): string {
    const fields = Object.entries(schema.properties ?? {}).map(([field, each]) => {
      const type = this.typed(each, { ...place, prefix: '', owner: pascalCase(`${name}-${field}`) });
      return { field, type: schema.required?.includes(field) ? type : `NotRequired[${type}]`, text: descriptionOf(each) };
    });
    // a field whose name is a word of Python can only be written as a text
    if (fields.some(({ field }) => pythonKeywords.has(field)))
      return `${name} = TypedDict("${name}", {${fields.map(({ field, type }) => `"${field}": ${JSON.stringify(type)}`).join(', ')}})`;
    return [
      `class ${name}(TypedDict):`,
      ...docstring(descriptionOf(schema)),
      ...fields.flatMap(({ field, type, text }) => [`    ${field}: ${type}`, ...docstring(text)]),
    ].join('\n');
  }

  private typed(schema: JsonSchema, place: Place): string {
    if (schema.$ref !== undefined) return `${place.prefix}${this.named(nameIn(schema.$ref))}`;
    if (schema.const !== undefined) return literal([schema.const]);
    if (schema.enum) return literal(schema.enum);
    if (schema.allOf) throw new Error(`${place.owner}: the Python client has no type for allOf.`);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return union(choices.map((each, nth) => this.typed(each, { ...place, owner: choiceName(choices, nth, place.owner) })));
    return union([schema.type ?? []].flat().map((type) => this.ofType(type, schema, place))) || 'Any';
  }

  private ofType(type: string, schema: JsonSchema, place: Place): string {
    if (type === 'array') {
      const items = schema.items ? this.typed(schema.items, { ...place, owner: `${place.owner}Item` }) : 'Any';
      return `${place.isInput ? 'Sequence' : 'List'}[${items}]`;
    }
    if (type !== 'object') return scalars[type] ?? 'Any';
    if (isRecord(schema) && !(place.isInput && isOpen(schema))) {
      this.add(place.owner, this.record(place.owner, schema, place));
      return `${place.prefix}${place.owner}`;
    }
    const values = isRecord(schema) ? undefined : schema.additionalProperties;
    const value = typeof values === 'object' ? this.typed(values, { ...place, owner: `${place.owner}Value` }) : 'Any';
    return `${place.isInput ? 'Mapping' : 'Dict'}[str, ${value}]`;
  }
}

/** The words of Python that no field, parameter or method can have as its name. */
export const pythonKeywords: ReadonlySet<string> = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

const isRecord = ({ type, properties = {} }: JsonSchema): boolean => type === 'object' && Object.keys(properties).length > 0;

/** An object that takes other fields besides the ones it names: for a caller no TypedDict can say so. */
const isOpen = ({ additionalProperties: others }: JsonSchema): boolean => typeof others === 'object' || others === true;

/** Of several objects each is named by its constant, `event` or `type`, or else by its place. */
function choiceName(choices: readonly JsonSchema[], nth: number, owner: string): string {
  const objects = choices.filter(isRecord);
  const own = choices[nth];
  if (objects.length < 2 || own === undefined) return owner;
  const constant = Object.values(own.properties ?? {}).find((each) => typeof each.const === 'string')?.const;
  return typeof constant === 'string' ? pascalCase(`${owner}-${constant}`) : `${owner}${nth + 1}`;
}

/** A text beside any text says nothing more, and neither does a number beside any number. */
function union(types: readonly string[]): string {
  const parts = [...new Set(types.flatMap((type) => (/[[\]"]/.test(type) ? [type] : type.split(' | '))))];
  if (parts.includes('Any')) return 'Any';
  const needed = parts.filter(
    (part) => !(parts.includes('str') && part.startsWith('Literal["')) && !(parts.includes('float') && part === 'int'),
  );
  return needed.join(' | ');
}

const literal = (values: readonly unknown[]): string =>
  `Literal[${values.map((each) => (each === null ? 'None' : typeof each === 'boolean' ? (each ? 'True' : 'False') : JSON.stringify(each))).join(', ')}]`;

/** An alias is read when the module is loaded, by versions of Python that have no `|` between types, and before all names are there. */
function evaluated(type: string): string {
  const parts = splitUnion(type).map((part) => {
    const [, generic, within] = /^(List\[|Sequence\[|Dict\[str, |Mapping\[str, )(.*)\]$/.exec(part) ?? [];
    if (generic !== undefined && within !== undefined) return `${generic}${evaluated(within)}]`;
    return /^(Literal\[|(None|Any|str|int|float|bool)$)/.test(part) ? part : JSON.stringify(part);
  });
  return parts.length === 1 ? (parts[0] ?? 'Any') : `Union[${parts.join(', ')}]`;
}

/** The parts between the bars that are in no bracket. */
function splitUnion(type: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const piece of type.split(/(\[|\]| \| )/)) {
    if (piece === ' | ' && depth === 0) parts.push('');
    else {
      depth += piece === '[' ? 1 : piece === ']' ? -1 : 0;
      parts[parts.length - 1] += piece;
    }
  }
  return parts;
}

const docstring = (text: string): string[] =>
  text === '' ? [] : [`    """${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, "'")}"""`];
const commentLines = (text: string): string[] => (text === '' ? [] : [`# ${text}`]);
