import { expect } from 'vitest';
import { jsonErrorIn } from '../../shared/http/json.ts';
import { attack } from '../support/attack.ts';

attack(
  'a body that names a field twice is refused, so that no two readers of it see two values',
  [{ in: 'shared/http/json.ts', replace: 'names.has(name)', by: 'false' }],
  () => {
    expect(jsonErrorIn(Buffer.from('{"to":"1","to":"2"}'))).toMatch(/twice|duplicate/i);
    expect(jsonErrorIn(Buffer.from('{"to":"1","from":"2"}'))).toBeUndefined();
  },
);
