/** One finding about a number's setup, with what to do about it. */
export interface Finding {
  level: 'ok' | 'doubtful' | 'wrong';
  message: string;
  remedy?: string;
}
