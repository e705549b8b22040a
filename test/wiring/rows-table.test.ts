import { expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { archiveTable } from '../../functions/messaging/contract/archive.ts';
import { storedMessage } from '../../functions/messaging/contract/stored.ts';
import { archiveObjectsOf } from '../../functions/messaging/domain/archived-message.ts';
import { readGolden } from '../support/golden.ts';
import { templateOf } from './template.ts';

/** The table that Athena has of the archive is what the product writes. */
const [table] = templateOf(app).ofType('AWS::Glue::Table');
const input = (table?.Properties['TableInput'] ?? {}) as {
  Name: string;
  Parameters: Record<string, unknown>;
  PartitionKeys: { Name: string }[];
  StorageDescriptor: { Columns: { Name: string; Type: string }[] };
};
const messages = (readGolden('0.2', 'items')['message'] ?? []).map((item) => storedMessage.parse(item));

test('the table has the columns of each row, with a type that its value has', () => {
  const columns = input.StorageDescriptor.Columns;
  expect(Object.fromEntries(columns.map(({ Name, Type }) => [Name, Type]))).toEqual(archiveTable.columns);
  const rows = archiveObjectsOf(3, messages).flatMap(({ text }) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );
  expect(rows.length).toBeGreaterThan(0);
  const fits = {
    bigint: (value: unknown) => Number.isSafeInteger(value),
    string: (value: unknown) => typeof value === 'string',
    timestamp: (value: unknown) => /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{3}$/.test(String(value)),
  };
  for (const row of rows) {
    expect(Object.keys(row)).toEqual(columns.map(({ Name }) => Name));
    for (const { Name, Type } of columns)
      if (row[Name] !== null) expect(fits[Type as keyof typeof fits](row[Name]), `${Name}: ${JSON.stringify(row[Name])}`).toBe(true);
  }
});

test('its partitions are where the objects are', () => {
  const [object] = archiveObjectsOf(3, messages);
  const template = JSON.stringify(input.Parameters['storage.location.template']);
  const [, path = ''] = /\/(messages\/[^"]*)"/.exec(template) ?? [];
  const [, month = ''] = /month=(\d{4}-\d{2})\//.exec(object?.key ?? '') ?? [];
  expect(object?.key.startsWith(path.replace('${company_id}', '3').replace('${month}', month))).toBe(true);
  expect(input.PartitionKeys.map(({ Name }) => Name)).toEqual(['company_id', 'month']);
  expect(input.Parameters).toMatchObject({ 'projection.enabled': 'true', 'projection.company_id.type': 'injected' });
});
