import { InvalidArgumentError, type Command } from 'commander';

/** Arguments as the commands need them; what does not fit is a usage error, said by commander with the option's name. */
export const asId = (value: string): number => {
  if (!/^[1-9][0-9]{0,15}$/.test(value)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(value);
};

export const asCount = (value: string): number => {
  if (!/^[0-9]{1,9}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
};

/** A limit of a plan: a number, or `none`. */
export const asLimit = (value: string): number | null => (value === 'none' ? null : asCount(value));

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
    // said below
  }
  throw new InvalidArgumentError('It must be a JSON object.');
};

/** Every noun but companies works within one. */
export const ofCompany = (command: Command): Command => command.requiredOption('--company <id>', 'the company, by its id', asId);

/** Examples after a command's help, one a line. */
export const examples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  npm run admin -- ${line}`).join('\n')}`);
