import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { app } from '../shared/app.ts';
import { templateOf } from '../test/wiring/template.ts';
import { type Baseline, complaint, readBaseline } from './baseline.ts';
import { costPage, type Standing } from './cost.ts';
import type { Figure, Scenario } from './scenario.ts';

const docs = join(import.meta.dirname, '..', 'docs');

/** docs/cost.md, as today's figures and stack give it. */
export const costContent = (): string => costPage(readBaseline(), standing());

export const writeCostPage = (): void => writeFileSync(join(docs, 'cost.md'), costContent());

function standing(): Standing {
  const template = templateOf(app);
  const count = (type: string): number => template.ofType(type).length;
  return {
    alarms: count('AWS::CloudWatch::Alarm'),
    dashboards: count('AWS::CloudWatch::Dashboard'),
    secrets: count('AWS::SecretsManager::Secret'),
    workedQueues: template
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) => Properties['StartingPosition'] === undefined).length,
  };
}

export interface Measured {
  scenario: Scenario;
  figures: readonly Figure[];
}

/** docs/performance.md: what `npm run bench` has just measured, on this machine. */
export const writePerformancePage = (measured: readonly Measured[], baseline: Baseline): void => {
  const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const day = new Date().toISOString().slice(0, 10);
  const content = `# What was measured

Written by \`npm run bench -- --pages\` on ${day}: ${machine}.

**Method.** The product's own handlers, through the real AWS SDK, on the embedded DynamoDB and SQS emulators. Units (WRU, RRU), calls and
bytes are deterministic: the emulator counts them as DynamoDB does, indexes included, and \`npm test\` fails when one is worse than
bench/baseline.json. Times are this machine's, where the emulators share the cores with the product; they compare with each other, not with
AWS. A figure with a budget says whether it is kept.

${measured.map(({ scenario, figures }) => section(scenario, figures, baseline)).join('\n\n')}
`;
  writeFileSync(join(docs, 'performance.md'), content);
};

const section = (scenario: Scenario, figures: readonly Figure[], baseline: Baseline): string =>
  `## ${scenario.name}

${scenario.what}.

| figure | value | budget | |
|---|---:|---:|---|
${figures
  .map((figure) => {
    const budget =
      figure.atMost !== undefined ? `<= ${shown(figure.atMost)}` : figure.atLeast !== undefined ? `>= ${shown(figure.atLeast)}` : '';
    return `| ${figure.name} | ${shown(figure.value)} ${figure.unit} | ${budget} | ${complaint(scenario, figure, baseline) ?? (budget ? 'kept' : '')} |`;
  })
  .join('\n')}`;

const shown = (value: number): string => (Number.isInteger(value) ? value.toLocaleString('en') : String(Math.round(value * 100) / 100));
