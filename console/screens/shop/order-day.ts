/** The times of a day by the calendar of the browser, such as 2026-11-30, which may have 23 or 25 hours; what is no day narrows nothing. */
export const dayOf = (day: string | undefined): { from?: string; to?: string } => {
  const [year, month, date] = (/^\d{4}-\d\d-\d\d$/.test(day ?? '') ? (day ?? '') : '').split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined) return {};
  const begins = (after: number): number => new Date(year, month - 1, date + after).getTime();
  return { from: new Date(begins(0)).toISOString(), to: new Date(begins(1) - 1).toISOString() };
};
