/** Templates as the sends and other contexts read them. */
export { findTemplate } from '../store/template.ts';
