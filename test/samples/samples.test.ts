import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runSamples } from './run.ts';

describe('recorded payloads', () => {
  test('go through the product: webhooks are stored and applied, requests and errors are read; one that is only answered is a failure', async () => {
    const results = await runSamples(join(import.meta.dirname, 'small'));
    expect(results).toEqual([
      { file: 'error_190_string_codes.json', level: 'effect' },
      { file: 'send_request_text_preview_url.json', level: 'simulator' },
      { file: 'send_response_text.json', level: 'effect' },
      { file: 'template_delete_response.json', level: 'effect' },
      { file: 'template_list_page.json', level: 'effect' },
      { file: 'webhook_inbound_text.json', level: 'effect' },
      { file: 'webhook_status_sent_minimal_v24.json', level: 'effect' },
      { file: 'webhook_template_status.json', level: 'effect' },
      { file: 'order.json', level: 'answered', problem: 'answered, and nothing shows what it did' },
    ]);
  });

  test('some of them, as those that failed before, go through alone', async () => {
    const results = await runSamples(join(import.meta.dirname, 'small'), (file) => file === 'webhook_template_status.json');
    expect(results).toEqual([{ file: 'webhook_template_status.json', level: 'effect' }]);
  });

  test('that do not fit are failures, each with its reason', async () => {
    const results = await runSamples(join(import.meta.dirname, 'broken'));
    expect(results).toEqual([
      { file: 'error_without_code.json', level: undefined, problem: expect.stringContaining('Must be') },
      { file: 'send_request_of_nothing.json', level: undefined, problem: expect.stringContaining('Must be') },
    ]);
  });

  test('in a folder without any are a mistake, not a success', async () => {
    await expect(runSamples(join(import.meta.dirname, 'nowhere'))).rejects.toThrow('has no samples');
  });
});
