/** For the contexts that must know one person's variants of a number. */
export { canonicalPhone } from '../contract/phone.ts';
