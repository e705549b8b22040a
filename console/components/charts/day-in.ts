/** The day of a time in a time zone, such as 2026-11-30. */
export const dayIn = (zone: string, ms: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(ms);
