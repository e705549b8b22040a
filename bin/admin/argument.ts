import { InvalidArgumentError, type Command } from 'commander';

/** Parsers of arguments. Commander reports an InvalidArgumentError as a usage error with the name of the option. */
export const asId = (value: string): number => {
  if (!/^[1-9][0-9]{0,15}$/.test(value)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(value);
};

export const asCount = (value: string): number => {
  if (!/^[0-9]{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
};

/** How many at a time. */
export const asCountUpTo =
  (most: number) =>
  (value: string): number => {
    const count = asCount(value);
    if (count < 1 || count > most) throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
    return count;
  };

/** Epoch milliseconds. */
export const asTime = (value: string): number => {
  const time = Date.parse(value);
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2026-11-21T12:00:00Z.');
  return time;
};

/** A number, or `none`. The parser of an option cannot return null: commander makes an empty text of it. */
export const asCountOrNone = (value: string): number | 'none' => (value === 'none' ? value : asCount(value));

/** What a field takes for `none`. */
export const noneAsNull = <T>(value: T | 'none'): T | null => (value === 'none' ? null : value);

export const asList = (value: string): string[] =>
  value
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);

export const asSwitch = (value: string): boolean => {
  if (value !== 'on' && value !== 'off') throw new InvalidArgumentError('It must be on or off.');
  return value === 'on';
};

export const asJsonObject = (value: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(value);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return { ...parsed };
  } catch {
    // reported below
  }
  throw new InvalidArgumentError('It must be a JSON object.');
};

/** Adds the required option --company, which every noun but companies has. */
export const ofCompany = (command: Command): Command => command.requiredOption('--company <id>', 'id of the company', asId);

/** Adds examples to the help of a command. */
export const examples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  npm run admin -- ${line}`).join('\n')}`);
