import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './data-folder.ts';
import { asText, type Json, numberOf, objectOf, parseJson, textOf } from './json.ts';
import { type Resource } from './template.ts';

/** The value of a secret by its name; made once as the template says, then stored: what it sealed must open after a restart. */
export const openSecrets = (
  folder: string,
  declared: readonly { name: string; resource: Resource }[],
  resolveValue: (value: Json) => Json,
): ReadonlyMap<string, string> => {
  const file = join(folder, 'secrets.json');
  const stored = existsSync(file) ? objectOf(parseJson(readFileSync(file, 'utf8'))) : {};
  const values = new Map(Object.entries(stored).map(([name, value]) => [name, asText(value)]));
  const missing = declared.filter(({ name }) => !values.has(name));
  for (const { name, resource } of missing) values.set(name, firstValue(objectOf(resolveValue(resource.properties))));
  if (missing.length > 0) writeFileAtomically(file, `${JSON.stringify(Object.fromEntries(values), null, 2)}\n`, 0o600);
  return values;
};

const firstValue = (properties: Record<string, Json>): string => {
  const given = textOf(properties.SecretString);
  if (given !== undefined) return given;
  const rules = objectOf(properties.GenerateSecretString);
  const password = randomText(numberOf(rules.PasswordLength) ?? 32);
  const key = textOf(rules.GenerateStringKey);
  if (key === undefined) return password;
  return JSON.stringify({ ...objectOf(parseJson(textOf(rules.SecretStringTemplate) ?? '{}')), [key]: password });
};

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const randomText = (length: number): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
