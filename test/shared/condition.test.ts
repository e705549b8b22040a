import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  above,
  all,
  any,
  atLeast,
  atMost,
  below,
  type ConditionNode,
  differs,
  equals,
  exists,
  missing,
  oneOf,
  Placeholders,
} from '../../shared/table/condition.ts';

describe('conditions', () => {
  test('every kind is written as DynamoDB spells it, with placeholders only', () => {
    const p = new Placeholders();
    const text = p.condition(
      all(exists(), missing('gone'), any(equals('name', 'x'), differs('name', 'y')), oneOf('state', ['a', 'b']), {
        kind: 'begins',
        field: 'sk',
        value: 'M#',
      }),
    );
    expect(text).toBe(
      '(attribute_exists(#n0) AND attribute_not_exists(#n1) AND (#n2 = :v0 OR #n2 <> :v1) AND #n3 IN (:v2, :v3) AND begins_with(#n4, :v4))',
    );
    expect(p.names).toEqual({ '#n0': 'pk', '#n1': 'gone', '#n2': 'name', '#n3': 'state', '#n4': 'sk' });
    expect(p.values).toEqual({ ':v0': 'x', ':v1': 'y', ':v2': 'a', ':v3': 'b', ':v4': 'M#' });
  });

  test('a field has one placeholder however often it is named, and every value is declared', () => {
    const leaf = fc.oneof(
      fc
        .tuple(fc.constantFrom(equals, differs, below, above, atMost, atLeast), fc.string(), fc.integer())
        .map(([make, f, v]) => make(f, v)),
      fc.string().map((field) => exists(field)),
    );
    const tree: fc.Arbitrary<ConditionNode> = fc.letrec<{ tree: ConditionNode }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((of) => all(...of)),
      ),
    })).tree;
    fc.assert(
      fc.property(tree, (condition) => {
        const p = new Placeholders();
        const text = p.condition(condition);
        expect(new Set(text.match(/#n\d+/g))).toEqual(new Set(Object.keys(p.names)));
        expect(new Set(text.match(/:v\d+/g) ?? [])).toEqual(new Set(Object.keys(p.values)));
        expect(new Set(Object.values(p.names)).size).toBe(Object.keys(p.names).length);
      }),
      { seed: 1 },
    );
  });
});

describe('changes', () => {
  test('set, set once, add and remove become one expression; a field set to undefined is removed', () => {
    const p = new Placeholders();
    const text = p.change({ set: { a: 1, b: undefined }, setOnce: { c: 2 }, add: { d: 3 }, remove: ['e'] });
    expect(text).toBe('SET #n0 = :v0, #n1 = if_not_exists(#n1, :v1) REMOVE #n2, #n3 ADD #n4 :v2');
    expect(p.names).toEqual({ '#n0': 'a', '#n1': 'c', '#n2': 'b', '#n3': 'e', '#n4': 'd' });
  });
});
