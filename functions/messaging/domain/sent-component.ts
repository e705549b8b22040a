/** A component of a template send, in the provider's form. */
export interface SentComponent {
  type: string;
  sub_type?: string | undefined;
  index?: string | undefined;
  parameters?: SentParameter[] | undefined;
  /** Of a carousel. */
  cards?: SentCard[] | undefined;
  [more: string]: unknown;
}
export interface SentCard {
  card_index?: unknown;
  components: SentComponent[];
}
export interface SentParameter {
  type: string;
  [more: string]: unknown;
}
/** Adds a reason to the errors of a request's field. */
export type AddError = (field: string, reason: string) => void;
