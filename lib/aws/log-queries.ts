import type { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { idOf } from './naming.ts';
import type { Settings } from './settings.ts';

/** Saved queries of CloudWatch Logs Insights, over the logs of all functions of the stack: there are more groups than a query takes by name. */
const queries: Readonly<Record<string, { title: string; lines: readonly string[] }>> = {
  'one-request': {
    title: 'One request, and all that followed from it',
    lines: [
      "filter request_id = 'req_...' or caused_by = 'req_...' or gateway_request_id = '...' or function_request_id = '...'",
      'sort @timestamp asc',
      'limit 1000',
    ],
  },
  'failed-messages': {
    title: 'Failures of messages, by queue and error',
    lines: [
      "filter level = 'ERROR' and ispresent(queue)",
      'stats count(*) as failures, latest(stack) as place by queue, error',
      'sort failures desc',
    ],
  },
  'slow-routes': {
    title: 'Routes by their slowest answers',
    lines: [
      "filter message = 'request'",
      'stats count(*) as calls, pct(ms, 50) as p50, pct(ms, 99) as p99, sum(status >= 500) as failed by route',
      'sort p99 desc',
    ],
  },
};

/** They cost nothing until they are run. docs/operate.md, "Look into the logs". */
export const saveLogQueries = (stack: Stack, settings: Settings): void => {
  for (const [name, { title, lines }] of Object.entries(queries))
    new CfnQueryDefinition(stack, idOf(name, 'query'), {
      name: `${settings.stackName}/${title}`,
      queryString: [
        `SOURCE logGroups(namePrefix: ['/aws/lambda/${settings.stackName}-'])`,
        'fields @timestamp, @log, @message',
        ...lines,
      ].join('\n| '),
    });
};
