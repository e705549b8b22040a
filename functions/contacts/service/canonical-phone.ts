/** For the contexts that must know one person's variants of a number. */
export { canonicalPhone } from '../domain/phone.ts';
