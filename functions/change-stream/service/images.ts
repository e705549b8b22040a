import type { DynamoDBRecord } from 'aws-lambda';
import { fromWire } from '../../../shared/table/wire.ts';

export interface Images {
  before: Record<string, unknown> | undefined;
  after: Record<string, unknown> | undefined;
}

/** The item before and after a change, as plain values. */
export const imagesOf = ({ dynamodb }: DynamoDBRecord): Images => ({
  before: imageOf(dynamodb?.OldImage),
  after: imageOf(dynamodb?.NewImage),
});

function imageOf(raw: unknown): Record<string, unknown> | undefined {
  return raw === undefined ? undefined : (fromWire({ M: raw }) as Record<string, unknown>);
}
