/** The members that are not undefined: `defined({ phone, email })` fills optional properties without a condition for each. */
export const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;

/** Members that may be undefined become optional properties without undefined, as `exactOptionalPropertyTypes` wants them. */
export type Defined<T> = Simplify<
  { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
    [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
  }
>;

type Simplify<T> = { [K in keyof T]: T[K] };
