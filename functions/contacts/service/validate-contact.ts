import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Contact } from '../contract/stored.ts';
import { customBytes } from '../domain/contact.ts';
import { customValueErrors, type Field, maxCustomBytes } from '../domain/field.ts';

/**
 * The contact, or the errors of its custom values: rules of their fields and size. For a new contact `before` is undefined and `fields` are
 * all definitions; otherwise `fields` are at least those whose values change.
 */
export const validateContact = (
  before: Contact | undefined,
  after: Contact,
  fields: readonly Field[],
): Contact | Problem<'validation_failed'> => {
  const errors = customValueErrors(before?.custom, after.custom, fields);
  if (Object.keys(errors).length > 0) return problem('validation_failed', { errors });
  return customBytes(after) <= maxCustomBytes
    ? after
    : invalid('custom', `All custom values of a contact together may have at most ${maxCustomBytes} bytes.`);
};
