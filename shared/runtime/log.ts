import { AsyncLocalStorage } from 'node:async_hooks';
import { metricNamespaceVariable } from '../contract/resource.ts';
import { optionalSetting } from './env.ts';

/**
 * Structured logs by allow-list: only these fields can be written, so no code, token, message body or phone number can slip in.
 * Each line of a request or delivery carries its request id.
 */
export interface LogFields {
  request_id?: string;
  /** Lambda's own id of the run, by which its report of a timeout or of lost memory is found. */
  function_request_id?: string;
  /** The id in the access log of the API, or of a function's own URL. */
  gateway_request_id?: string;
  caused_by?: string;
  company_id?: number;
  credential_id?: number;
  function?: string;
  route?: string;
  method?: string;
  status?: number;
  code?: string;
  ms?: number;
  queue?: string;
  message_id?: number | string;
  contact_id?: number;
  campaign_id?: number;
  records?: number;
  failed?: number;
  attempt?: number;
  provider_code?: number;
  /** The version of the provider's API that answered. */
  provider_version?: string;
  /** Ids of the provider's apps, accounts and numbers: none of a contact. */
  provider_ids?: string;
  event?: string;
  late_ms?: number;
  count?: number;
  /** The key of a file in a bucket: ids alone. */
  object?: string;
  /** The network of the caller, never the whole address. */
  source?: string;
  error?: string;
  stack?: string;
}

const scope = new AsyncLocalStorage<LogFields>();

/** Runs `work` so that every line it logs carries `fields`. */
export const withLogScope = <T>(fields: LogFields, work: () => T): T => scope.run({ ...scope.getStore(), ...fields }, work);

/** What a run of a function is known by in the logs of AWS; nothing where a test calls the handler alone. */
export const runFields = (context: { functionName?: string; awsRequestId?: string } | undefined): LogFields => ({
  ...(context?.functionName === undefined ? {} : { function: context.functionName }),
  ...(context?.awsRequestId === undefined ? {} : { function_request_id: context.awsRequestId }),
});

/** Adds to the current scope: what is learned later (the company, once the caller is known). */
export const addToLogScope = (fields: LogFields): void => {
  const current = scope.getStore();
  if (current) Object.assign(current, fields);
};

/** The request id of what runs now, to be carried on in messages. */
export const currentRequestId = (): string | undefined => scope.getStore()?.request_id;

export const log = {
  info: (message: string, fields: LogFields = {}): void => write('INFO', message, fields),
  warn: (message: string, fields: LogFields = {}): void => write('WARN', message, fields),
  /** An unexpected failure, with its stack; the message of an error may hold data, so only its name and place are kept. */
  error: (message: string, error: unknown, fields: LogFields = {}): void => write('ERROR', message, { ...fields, ...describe(error) }),
};

/** One CloudWatch metric in the embedded metric format. Units are CloudWatch's. `fields` are for queries of the logs, and cost no metric. */
export const metric = (
  name: string,
  unit: 'Count' | 'Milliseconds' | 'Seconds',
  value: number,
  dimensions: Record<string, string> = {},
  fields: LogFields = {},
): void => {
  process.stdout.write(
    `${JSON.stringify({
      _aws: {
        Timestamp: Date.now(),
        CloudWatchMetrics: [
          {
            Namespace: optionalSetting(metricNamespaceVariable) ?? 'Switchboard',
            Dimensions: [Object.keys(dimensions)],
            Metrics: [{ Name: name, Unit: unit }],
          },
        ],
      },
      ...scopeOf(fields),
      ...dimensions,
      [name]: value,
    })}\n`,
  );
};

/** With fields, the line has those of the request too: which company, from which network. */
const scopeOf = (fields: LogFields): LogFields => (Object.keys(fields).length > 0 ? { ...scope.getStore(), ...fields } : {});

let isToStandardError = false;

/** For the command line, whose standard output is its result. */
export const logToStandardError = (): void => {
  isToStandardError = true;
};

function write(level: string, message: string, fields: LogFields): void {
  const output = isToStandardError ? process.stderr : process.stdout;
  output.write(`${JSON.stringify({ level, message, time: new Date().toISOString(), ...scope.getStore(), ...fields })}\n`);
}

function describe(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const frames = error.stack
    ?.split('\n')
    .filter((line) => line.trimStart().startsWith('at '))
    .slice(0, 12)
    .join('\n');
  return { error: error.name, ...(frames ? { stack: frames } : {}) };
}
