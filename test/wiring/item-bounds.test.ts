import { beforeAll, describe, expect, test } from 'vitest';
import { mostBytes, unboundedAttributes, unusedBounds } from '../../lib/generate/item-bounds.ts';
import { generateTable } from '../../lib/generate/table.ts';
import { registry } from '../../shared/table/entity.ts';

/** DynamoDB refuses an item of more than 400 KB: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html */
const most = 300 * 1_024;

describe('no item grows until the table refuses it', () => {
  beforeAll(() => generateTable());

  test('each list, map and loose object of each entity has a bound: of its schema, or one that is named', () => {
    const unbounded = registry.flatMap((entity) => unboundedAttributes(entity).map((attribute) => `${entity.name}.${attribute}`));
    expect(unbounded).toEqual([]);
    expect(unusedBounds(registry)).toEqual([]);
  });

  test('the largest item of each entity has at most 300 KB', () => {
    expect(registry.filter((entity) => mostBytes(entity) > most).map((entity) => [entity.name, mostBytes(entity)])).toEqual([]);
  });
});
