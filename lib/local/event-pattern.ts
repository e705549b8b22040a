import { asText, isObject, type Json, listOf, objectOf } from './json.ts';

/** Whether an event fits an EventBridge pattern, or a record an event source mapping's filter: the operators both share. */
export const matchesPattern = (pattern: Json, event: Json | undefined): boolean =>
  Object.entries(objectOf(pattern)).every(([key, wanted]) => {
    if (key === '$or') return listOf(wanted).some((each) => matchesPattern(each, event));
    const value = isObject(event) ? event[key] : undefined;
    if (!Array.isArray(wanted)) return matchesPattern(wanted, value);
    const values = Array.isArray(value) ? value : [value];
    return wanted.some((rule) =>
      isObject(rule) && 'exists' in rule ? (value !== undefined) === rule.exists : values.some((each) => fits(rule, each)),
    );
  });

const fits = (rule: Json, value: Json | undefined): boolean => {
  if (!isObject(rule)) return value === rule;
  const [operator, operand] = Object.entries(rule)[0] ?? ['', null];
  const text = typeof value === 'string' ? value : undefined;
  switch (operator) {
    case 'prefix':
      return text !== undefined && text.startsWith(asText(operand));
    case 'suffix':
      return text !== undefined && text.endsWith(asText(operand));
    case 'equals-ignore-case':
      return text !== undefined && text.toLowerCase() === asText(operand).toLowerCase();
    case 'wildcard':
      return text !== undefined && new RegExp(`^${asText(operand).split('*').map(escaped).join('.*')}$`, 's').test(text);
    case 'anything-but':
      if (value === undefined) return false;
      if (isObject(operand)) return !fits(operand, value);
      return !(Array.isArray(operand) ? operand : [operand]).includes(value);
    case 'numeric':
      return typeof value === 'number' && inRange(listOf(operand), value);
    default:
      return false;
  }
};

const inRange = (rules: Json[], value: number): boolean => {
  for (let i = 0; i < rules.length; i += 2) {
    const bound = Number(rules[i + 1]);
    const holds = { '=': value === bound, '>': value > bound, '>=': value >= bound, '<': value < bound, '<=': value <= bound }[
      asText(rules[i])
    ];
    if (!holds) return false;
  }
  return true;
};

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
