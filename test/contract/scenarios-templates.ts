import { type MockInstance, vi } from 'vitest';
import { deleteTemplateRow, listTemplateRows } from '../../functions/templates/store/template.ts';
import { currentFunction } from '../support/crash-points.ts';
import { newTemplateName, templateId } from './examples.ts';
import { secondNumber } from './examples-account.ts';
import type { ContractFixture } from './fixture.ts';
import type { Scenario } from './scenarios.ts';
import { uploadedFile } from './scenarios-messaging.ts';

/** The one template that the provider has is not stored. */
const forgetTemplate = async ({ company }: ContractFixture): Promise<void> => {
  for (const row of await listTemplateRows(company.id)) if (row.name === 'hello_world') await deleteTemplateRow(row, undefined);
};

/** Time runs away from who reads the account, until the caller was answered. */
const longSync = (title: string, more: Pick<Scenario, 'next' | 'repeatable'> = {}): Scenario => {
  const real = performance.now.bind(performance);
  let passedMs = 0;
  let clock: MockInstance<() => number> | undefined;
  return {
    route: 'syncTemplates',
    title,
    ...more,
    example: async (fixture) => {
      await forgetTemplate(fixture);
      await templateId(fixture);
      clock = vi.spyOn(performance, 'now').mockImplementation(() => real() + passedMs);
      fixture.provider.answering(({ method, path }) => {
        if (method !== 'GET' || !path.includes('/message_templates')) return undefined;
        passedMs += 20_000;
        return { status: 200, body: { data: [], paging: { cursors: { after: `page-${passedMs}` }, next: 'https://provider.test/next' } } };
      });
      return {};
    },
    next: async (fixture) => {
      fixture.provider.answering(undefined);
      clock?.mockRestore();
      await more.next?.(fixture);
    },
  };
};

/** Another account of the company writes a template of the name that the worker is about to write. */
const takenByAnotherAccount = async (fixture: ContractFixture): Promise<void> => {
  const { testApp } = fixture;
  await secondNumber(fixture);
  let isTaken = false;
  using _writer = testApp.onTable(async ({ command, when, input }) => {
    const isCreation = command === 'TransactWriteItems' && JSON.stringify(input).includes('hello_world');
    if (isTaken || when !== 'before' || !isCreation || currentFunction()?.name !== 'templates-syncs') return;
    isTaken = true;
    await templateId(fixture, 'hello_world', { wabaId: '800000001' });
  });
  await testApp.drain({ retry: false });
};

/** Of templates: samples that are uploaded, and syncs that go on in the worker. */
export const templateScenarios: readonly Scenario[] = [
  {
    route: 'createTemplate',
    title: 'with a file that was uploaded as its sample',
    example: async (fixture) => {
      fixture.provider.answering(({ method, path }) => {
        if (method === 'GET' && path.includes('/app?')) return { status: 200, body: { id: '42' } };
        if (path.includes('/uploads')) return { status: 200, body: { id: 'upload:one' } };
        return /upload(:|%3A)/.test(path) ? { status: 200, body: { h: '4::sample' } } : undefined;
      });
      const header = { type: 'HEADER', format: 'DOCUMENT', media_id: await uploadedFile(fixture) };
      const components = [header, { type: 'BODY', text: 'Your invoice.' }];
      return { body: { name: newTemplateName(), language: 'en_US', category: 'UTILITY', components } };
    },
    next: async ({ provider }) => provider.answering(undefined),
  },
  longSync('of an account that takes longer than a caller can wait'),
  longSync('of an account that takes long, while another account gets a template of the same name', {
    next: takenByAnotherAccount,
    repeatable: 'each worker that takes over finds the name taken once more',
  }),
];
