/** A refused conditional write; `current` is the item as it is (none: it does not exist). */
export interface Refused<T> {
  done: false;
  current: T | undefined;
}
export type Written<T> = { done: true; item: T } | Refused<T>;
